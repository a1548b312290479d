/// Client IDs of two applications; the first is that of the Azure CLI.
enum Clients {
  static let cli = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
  static let editor = "55555555-5555-4555-8555-555555555555"
}
