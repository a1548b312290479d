import Glibc

/// The state of a file, by which a change is noticed.
struct FileState: Hashable {
  let device: UInt
  let inode: UInt
  let size: Int
  private let seconds: Int
  private let nanoseconds: Int
  let mode: UInt32
  let user: UInt32
  let group: UInt32
  let names: UInt

  init(_ status: stat) {
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
    mode = status.st_mode
    user = status.st_uid
    group = status.st_gid
    names = UInt(status.st_nlink)
  }

  /// The state of the file that the path leads to; nil if there is none, with the reason in `errno`.
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  var isRegular: Bool { mode & S_IFMT == S_IFREG }
  var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
  /// The time of the last change of the content, in seconds since 1970.
  var changedOn: Int64 { Int64(seconds) }
}
