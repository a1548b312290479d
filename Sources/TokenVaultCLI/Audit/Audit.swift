import Glibc
import TokenVaultModel
import TokenVaultPlaintext

/// The files of other tools with secrets, and those that could not be read.
struct Audit {
  private(set) var files: [AuditedFile] = []
  private(set) var unread: [AuditWalk.Unread] = []
  /// The number of files that were read.
  private(set) var readCount = 0

  /// A secret of a file.
  struct Finding: Hashable {
    let file: Int
    let secret: Int
  }

  /// Looks into the places where tools keep their files, or below directories and at files.
  init(_ paths: [String], _ invocation: Invocation) throws {
    var walk = AuditWalk()
    var targets: [AuditTarget] = []
    if paths.isEmpty {
      let places = try AuditPlaces(invocation)
      targets = try places.targets()
      for (format, directory) in try places.directories() {
        walk.look(below: directory, format: format, isOptional: true)
      }
    } else {
      let note = invocation.progress("Looking for secrets in directories")
      for path in paths {
        let absolute = try invocation.absolute(path)
        guard let state = FileState(of: absolute) else {
          throw CommandError.input(path: path, errno: errno)
        }
        if state.isDirectory {
          walk.look(below: absolute, note: note)
        } else {
          let parts = absolute.split(separator: "/").map(String.init)
          guard
            let format = PlaintextFormat(
              fileName: parts.last ?? "", in: parts.dropLast().last ?? "")
          else { throw Failure.unknownAuditFile(path) }
          targets.append(AuditTarget(path: absolute, format: format))
        }
      }
    }
    unread = walk.unread
    read(targets + walk.targets, invocation)
  }

  private mutating func read(_ targets: [AuditTarget], _ invocation: Invocation) {
    let home = invocation.directory(in: "HOME")
    let note = invocation.progress("Looking for secrets in files")
    var seen: Set<[UInt]> = []
    for (index, target) in targets.enumerated() {
      switch AuditedFile.read(target, home: home) {
      case .absent: break
      case .clean: readCount += 1
      case .found(let file):
        // A file that two names lead to is one file.
        guard seen.insert([file.state.device, file.state.inode]).inserted else {
          readCount += 1
          break
        }
        files.append(file)
        // The file may contain more secrets than those that were found.
        if let reason = file.content.fault.map(AuditedFile.text) {
          unread.append(AuditWalk.Unread(path: target.path, reason: reason))
        } else {
          readCount += 1
        }
      case .unread(let reason):
        unread.append(AuditWalk.Unread(path: target.path, reason: reason))
      }
      note(index + 1, targets.count)
    }
  }

  var findings: [Finding] {
    files.indices.flatMap { file in
      files[file].content.secrets.indices.map { Finding(file: file, secret: $0) }
    }
  }

  func secret(_ finding: Finding) -> PlaintextSecret {
    files[finding.file].content.secrets[finding.secret]
  }
}
