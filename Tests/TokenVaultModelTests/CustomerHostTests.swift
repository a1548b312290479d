import Testing
import TokenVaultModel

@Suite(.timeLimit(.minutes(1))) struct CustomerHostTests {
  @Test(arguments: [
    "contoso.b2clogin.com", "CONTOSO.B2CLogin.CN", "contoso.b2clogin.us", "contoso.b2clogin.de",
  ])
  func everyCloudHasItsB2CHosts(host: String) {
    #expect(CustomerHost.isB2C(host))
    #expect(!CustomerHost.isExternalID(host))
  }

  @Test func externalIDHasAHostForEachTenant() {
    #expect(CustomerHost.isExternalID("Contoso.CIAMLogin.com"))
    #expect(!CustomerHost.isB2C("contoso.ciamlogin.com"))
  }

  @Test(arguments: [
    "b2clogin.com", "ciamlogin.com", "b2clogin.com.evil.example", "xb2clogin.com",
    "login.microsoftonline.com", "",
  ])
  func otherHostsAreNotForCustomers(host: String) {
    #expect(!CustomerHost.isB2C(host))
    #expect(!CustomerHost.isExternalID(host))
  }
}
