import Testing
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVaultSignIn

/// The parameters, claims and capabilities that a caller adds to requests.
@Suite(.timeLimit(.minutes(5))) struct RequestParametersTests {
  private static let nothing: ScriptedProvider.Script = { _ in HTTPResponse(status: 404) }

  @Test(
    .parity(
      "MSALTokenParameters.extraQueryParameters", "MSALPublicClientApplicationConfig.sliceConfig",
      "MSALSliceConfig"))
  func theApplicationsParametersAreInEveryRequestAndReplaceNone() throws {
    let (conversation, provider) = try endpoint(script: Self.nothing) {
      $0.extraParameters = ["slice": "testslice", "dc": "west", "client_id": "other"]
    }
    let session = try AuthorizationSession(
      InteractiveRequest(scopes: ScopeSet(["read"])), of: conversation,
      redirectURI: "http://127.0.0.1:4567/")
    // The provider of this test returns 404 for all of them.
    _ = try conversation.redeem(
      code: .init("c"), verifier: .init("v"), redirectURI: "http://127.0.0.1:4567/",
      scopes: ScopeSet(["read"]), claims: nil, extra: FormParameters())
    _ = try conversation.refresh(
      .init("r"), scopes: ScopeSet(["read"]), claims: nil,
      extra: FormParameters(sorted: ["dc": "east"]))
    let forms = [session.address.parameters] + provider.requests.compactMap(\.form)
    #expect(forms.count == 3)
    #expect(forms.allSatisfy { $0["slice"] == "testslice" && $0["client_id"] == "app" })
    #expect(forms.map { $0["dc"] } == ["west", "west", "east"])
  }

  @Test(
    .parity(
      "MSALClaimsRequest.initWithJsonString:error:", "MSALClaimsRequest.jsonString",
      "requestClaim:forTarget:error:", "removeClaimRequestWithName:target:error:",
      "claimsRequestsForTarget:", "MSALIndividualClaimRequest.name",
      "MSALIndividualClaimRequest.additionalInfo",
      "MSALIndividualClaimRequestAdditionalInfo.essential",
      "MSALIndividualClaimRequestAdditionalInfo.value",
      "MSALIndividualClaimRequestAdditionalInfo.values"))
  func oidcCore_5_5_aClaimsRequestNamesTheClaimsOfEachToken() throws {
    var request = ClaimsRequest()
    #expect(request.isEmpty)
    let essential = ClaimsRequest.Claim("auth_time", isEssential: true)
    let valued = ClaimsRequest.Claim("acr", value: "c1", values: ["c1", "c2"])
    request.request(essential, in: .idToken)
    request.request(valued, in: .accessToken)
    request.request(.init("nickname"), in: .idToken)
    #expect(request.claims(in: .idToken) == [essential, .init("nickname")])
    #expect(request.claims(in: .accessToken) == [valued])
    let same = try ClaimsRequest(json: request.json)
    #expect(same == request)
    #expect(same.claims(in: .accessToken) == [valued])
    request.remove("auth_time", from: .idToken)
    #expect(request.claims(in: .idToken) == [.init("nickname")])
    #expect(request != same)
    request.remove("nickname", from: .idToken)
    request.remove("acr", from: .accessToken)
    #expect(request.isEmpty)
  }

  @Test(
    .parity(
      "MSALClaimsRequest.initWithJsonString:error:", "MSALInternalErrorInvalidParameter -42000"),
    arguments: ["", "[]", "{", "null", #"{"id_token": 1}"#, #"{"id_token": "a"}"#])
  func malformedClaimsRequestsAreRefused(json: String) {
    #expect(throws: SignInError.invalidRequest(.claims)) { try ClaimsRequest(json: json) }
  }

  @Test(.parity("MSALPublicClientApplicationConfig.clientApplicationCapabilities"))
  func theApplicationsCapabilitiesAreMergedIntoTheClaims() throws {
    let (conversation, provider) = try endpoint(script: Self.nothing) {
      $0.clientCapabilities = ["CP1"]
    }
    var claims = ClaimsRequest()
    claims.request(.init("auth_time", isEssential: true), in: .idToken)
    var request = InteractiveRequest(scopes: ScopeSet(["read"]))
    request.claims = claims
    let session = try AuthorizationSession(
      request, of: conversation, redirectURI: "http://127.0.0.1:4567/")
    _ = try conversation.refresh(
      .init("r"), scopes: ScopeSet(["read"]), claims: nil, extra: FormParameters())
    let sent = try #require(session.address.parameters["claims"])
    #expect(try ClaimsRequest(json: sent).claims(in: .idToken).map(\.name) == ["auth_time"])
    let refreshed = try #require(provider.requests.first?.form?["claims"])
    for json in [sent, refreshed] {
      let capabilities = try ClaimsRequest(json: json).claims(in: .accessToken)
      #expect(capabilities == [.init("xms_cc", values: ["CP1"])])
    }
  }

  @Test(
    .parity(
      "MSALInteractiveTokenParameters.promptType", "MSALPromptTypeSelectAccount",
      "MSALPromptTypeLogin", "MSALPromptTypeConsent", "MSALPromptTypeCreate",
      "MSALPromptTypePromptIfNecessary"))
  func everyPromptHasItsParameterValue() throws {
    let words = try Prompt.allCases.map { prompt in
      var request = InteractiveRequest(scopes: ScopeSet(["read"]))
      request.prompt = prompt
      return try AuthorizationSession(
        request, of: endpoint().endpoint, redirectURI: "http://127.0.0.1:4567/"
      ).address.parameters["prompt"]
    }
    #expect(words == [nil, "select_account", "login", "consent", "create"])
  }

  @Test(
    .parity(
      "MSALAzureADAndPersonalMicrosoftAccountAudience", "MSALAzureADMultipleOrgsAudience",
      "MSALAzureADMyOrgOnlyAudience", "MSALPersonalMicrosoftAccountAudience",
      "MSALAzurePublicCloudInstance", "MSALAzureChinaCloudInstance",
      "MSALAzureGermanyCloudInstance", "MSALAzureUsGovernmentCloudInstance",
      "MSALAzureFranceCloudInstance", "MSALAzureDelosCloudInstance", "MSALAzureGovSGCloudInstance"))
  func everyCloudAndAudienceHasItsURL() throws {
    let hosts = try Authority.Cloud.allCases.map {
      try Authority.entra(.entraAndPersonal, in: $0).description
    }
    #expect(
      hosts == [
        "https://login.microsoftonline.com/common",
        "https://login.partner.microsoftonline.cn/common",
        "https://login.microsoftonline.de/common", "https://login.microsoftonline.us/common",
        "https://login.sovcloud-identity.fr/common", "https://login.sovcloud-identity.de/common",
        "https://login.sovcloud-identity.sg/common",
      ])
    let audiences: [Authority.Audience] = [
      .entraAndPersonal, .multipleOrganizations, .personal, .tenant("contoso.com"),
    ]
    #expect(
      try audiences.map { try Authority.entra($0).tenant }
        == ["common", "organizations", "consumers", "contoso.com"])
  }
}
