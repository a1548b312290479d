import TokenVaultPlaintext

/// A file of a format with secrets, and what is found in it: kind, place, user name and service.
struct SampleFile: Sendable {
  let format: PlaintextFormat
  let text: String
  let found: [[String]]
  /// Whether the findings can be taken out.
  var isRemovable = true

  static let all: [SampleFile] = [
    SampleFile(
      format: .gitCredentials,
      text:
        "https://ada:S3C1%21@git.example.com\n\n# note\nhttps://bob:S3C2@git.example.com/team\n",
      found: [
        ["password", "line 1", "ada", "https://git.example.com"],
        ["password", "line 4", "bob", "https://git.example.com/team"],
      ]),
    SampleFile(
      format: .netrc,
      text: """
        # mine
        machine a.example login ada password S3C1
        machine b.example
          login bob
          # of the team
          password "S3C2"

        default login anonymous

        """,
      found: [
        ["password", "machine a.example, line 2", "ada", "https://a.example"],
        ["password", "machine b.example, line 3", "bob", "https://b.example"],
      ]),
    SampleFile(
      format: .netrc, text: "machine a.example\ndefault login anonymous password S3C1\n",
      found: [["password", "default, line 2", "anonymous", ""]]),
    SampleFile(
      format: .githubHosts,
      text: """
        github.com:
            users:
                ada:
                    oauth_token: S3C1
                bob:
                    oauth_token: 'S3C2'
            git_protocol: https
            oauth_token: S3C1 # in force
            user: ada

        """,
      found: [
        ["token", "github.com.users.ada.oauth_token", "ada", "https://github.com"],
        ["token", "github.com.users.bob.oauth_token", "bob", "https://github.com"],
      ]),
    SampleFile(
      format: .gitlabConfiguration,
      text: """
        # glab
        git_protocol: ssh
        hosts:
            gitlab.com:
                token: !!null S3C1
                oauth2_refresh_token: S3C2
                api_host: gitlab.com
                user: ada

        """,
      found: [["token", "hosts.gitlab.com.token", "ada", "https://gitlab.com"]]),
    SampleFile(
      format: .docker,
      text: """
        {
        \t"auths": {
        \t\t"registry.example.com": {"auth": "YWRhOlMzQzE="},
        \t\t"https://index.docker.io/v1/": {"email": "x", "identitytoken": "S3C2"},
        \t\t"empty.example": {}
        \t},
        \t"detachKeys": "ctrl-q"
        }
        """,
      found: [
        ["password", "auths.registry.example.com.auth", "ada", "https://registry.example.com"],
        [
          "token", "auths.https://index.docker.io/v1/.identitytoken", "<token>",
          "https://index.docker.io/v1/",
        ],
      ]),
    SampleFile(
      format: .npm,
      text: """
        registry=https://r.example/
        //r.example/:_authToken=S3C1
        //s.example/:_authToken = ${NPM_TOKEN}
        //t.example/npm/:username=ada
        //t.example/npm/:_password="UzNDMg=="
        ; _auth=commented

        """,
      found: [
        ["token", "//r.example/:_authToken", "npm", "https://r.example/"],
        ["password", "//t.example/npm/:_password", "ada", "https://t.example/npm/"],
      ]),
    SampleFile(
      format: .kubeconfig,
      text: """
        apiVersion: v1
        clusters:
        - cluster:
            server: https://k8s.example:6443
          name: c1
        contexts:
        - context: {}
          name: unused
        - context:
            cluster: c1
            user: u1
          name: x1
        current-context: x1
        users:
        - name: u1
          user:
            token: S3C1
        - name: u2
          user:
            client-certificate-data: QQ==
            client-key-data: UzNDMg==

        """,
      found: [
        ["token", "users.u1.token", "u1", "https://k8s.example:6443"],
        ["private key", "users.u2.client-key-data", "u2", ""],
      ]),
    SampleFile(
      format: .kubeconfig,
      text: """
        {"users": [{"name": "u1", "user": {"token": "S3C1"}}], "clusters": [{"name": "c", "cluster":
        {"server": "https://k"}}], "contexts": [{"name": "x", "context": {"user": "u1", "cluster": "c"}}]}
        """,
      found: [["token", "users.u1.token", "u1", "https://k"]]),
    SampleFile(
      format: .aws,
      text: """
        [default]
        aws_access_key_id = AKIAEXAMPLE
        aws_secret_access_key = S3C1
        region = eu-central-1

        [temp]
        aws_access_key_id=ASIAEXAMPLE
        aws_secret_access_key=S3C2
        aws_session_token=S3C3

        """,
      found: [
        ["secret key", "default", "AKIAEXAMPLE", "https://aws.amazon.com"],
        ["secret key", "temp", "ASIAEXAMPLE", "https://aws.amazon.com"],
      ]),
    SampleFile(
      format: .aws, text: "[a]\n  aws_access_key_id = AK\n  aws_secret_access_key = S3C1\n",
      found: [["secret key", "a", "AK", "https://aws.amazon.com"]]),
    SampleFile(
      format: .cargo,
      text: """
        [registry] # crates.io
        token = "S3C1"

        [registries."corp"]
        token = 'S3C2'
        protocol = "sparse"

        """,
      found: [
        ["token", "registry.token", "cargo", "https://index.crates.io"],
        ["token", "registries.corp.token", "cargo", "https://cargo.example/index/"],
      ]),
    SampleFile(
      format: .pip,
      text: """
        [global]
        index-url = https://ada:S3C1@pypi.example/simple
        extra-index-url =
            https://pypi.org/simple
            https://bob:S3C2@other.example/simple
        # https://x:commented@y.example

        """,
      found: [
        ["password", "line 2", "ada", "https://pypi.example"],
        ["password", "line 5", "bob", "https://other.example"],
      ]),
    SampleFile(
      format: .poetry,
      text: """
        [http-basic.corp]
        username = "ada"
        password = "S3C1"

        [pypi-token]
        pypi = "S3C2"

        """,
      found: [
        [
          "password", "http-basic.corp.password", "ada",
          "https://keyring.invalid/poetry-repository-corp",
        ],
        [
          "token", "pypi-token.pypi", "__token__", "https://keyring.invalid/poetry-repository-pypi",
        ],
      ]),
    SampleFile(
      format: .pypirc,
      text: """
        [distutils]
        index-servers =
            pypi
            corp

        [pypi]
        username = __token__
        password = S3C1

        [corp]
        repository: https://corp.example/legacy?k=S3C3
        username: ada
        password: S3C2

        """,
      found: [
        ["password", "pypi", "__token__", "https://upload.pypi.org/legacy"],
        ["password", "corp", "ada", "https://corp.example/legacy"],
      ]),
    SampleFile(
      format: .terraformTokens,
      text:
        "{\n  \"credentials\": {\n    \"app.terraform.io\": {\n      \"token\": \"S3C1\"\n    },\n"
        + "    \"tf.example\": { \"token\": \"S3C2\" }\n  }\n}\n",
      found: [
        ["token", "credentials.app.terraform.io", "terraform", "https://app.terraform.io"],
        ["token", "credentials.tf.example", "terraform", "https://tf.example"],
      ]),
    SampleFile(
      format: .terraformConfiguration,
      text: """
        disable_checkpoint = true
        credentials "tf.example" {
          token = "S3C1"
        }
        credentials_helper "x" {
        }

        """,
      found: [["token", "credentials.tf.example", "terraform", "https://tf.example"]]),
    SampleFile(
      format: .azurePrincipals,
      text: #"[{"client_id": "a", "tenant": "t", "client_secret": "S3C1"}, {"client_id": "b"}]"#,
      found: [["client secret", "element 0", "a", "https://login.microsoftonline.com/t"]]),
    SampleFile(
      format: .msalCache,
      text: """
        {"AccessToken": {"k1": {"home_account_id": "u.t", "secret": "S3C1", "expires_on": "1"},
        "k2": {"home_account_id": "v.t", "secret": "S3C2", "expires_on": "1"}},
        "RefreshToken": {"k3": {"home_account_id": "u.t", "secret": "S3C3"}},
        "Account": {"a": {"home_account_id": "u.t", "username": "ada@x.example",
        "environment": "login.microsoftonline.com"}}, "Other": 1}
        """,
      found: [
        [
          "tokens", "AccessToken, RefreshToken, IdToken", "ada@x.example",
          "login.microsoftonline.com",
        ],
        ["tokens", "AccessToken, RefreshToken, IdToken", "v.t", ""],
      ]),
    SampleFile(
      format: .rclone, text: "[s3]\ntype = s3\naccess_key_id = A\nsecret_access_key = S3C1\n",
      found: [["secret key", "s3.secret_access_key", "A", ""]], isRemovable: false),
    SampleFile(
      format: .googleCredentials,
      text: #"{"account": "ada@x.example", "refresh_token": "S3C1", "type": "authorized_user"}"#,
      found: [["refresh token", "refresh_token", "ada@x.example", ""]], isRemovable: false),
    SampleFile(
      format: .awsCache,
      text: #"{"Credentials": {"AccessKeyId": "A", "SecretAccessKey": "S3C1"}}"#,
      found: [["secret key", "Credentials.SecretAccessKey", "A", ""]], isRemovable: false),
    SampleFile(
      format: .azureFormerCache, text: #"[{"accessToken": "S3C1", "userId": "ada"}]"#,
      found: [["access token", "element 0", "ada", ""]], isRemovable: false),
    SampleFile(
      format: .googleDatabase, text: "SQLite format 3\0 … {\"refresh_token\": \"S3C1\"}",
      found: [["database", "the whole file", "", ""]], isRemovable: false),
  ]

  var file: PlaintextFile { Self.file(Array(text.utf8), format) }

  static func file(_ bytes: [UInt8], _ format: PlaintextFormat) -> PlaintextFile {
    var context = PlaintextContext()
    context.readCargoConfiguration(
      Array("[registries.corp]\nindex = \"sparse+https://cargo.example/index/\"\n".utf8))
    return PlaintextFile(bytes, format, context: context)
  }
}

extension PlaintextSecret {
  var summary: [String] { [kind.rawValue, place, username ?? "", service ?? ""] }
}
