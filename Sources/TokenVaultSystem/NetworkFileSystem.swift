internal import TokenVaultCSystem
import Glibc

/// File systems that other machines write to at the same time.
package enum NetworkFileSystem {
  /// The type of the network file system that a path is on, as in `nfs` or `fuse.sshfs`; nil if it
  /// is on a disk of this machine.
  package static func type(at path: String) throws(SystemCallError) -> String? {
    var device: (major: UInt32, minor: UInt32) = (0, 0)
    let number = unsafe tv_file_system(path, &device.major, &device.minor)
    guard number >= 0 else { throw SystemCallError(errno: errno, call: "statfs") }
    if let name = numbers[UInt32(truncatingIfNeeded: number)] { return name }
    // All of FUSE has one number; most of it is as local as a disk.
    guard number == fuse, let name = try mountedType("\(device.major):\(device.minor)") else {
      return nil
    }
    return fuseTypes.contains { name == $0 || name == "fuse." + $0 } ? name : nil
  }

  private static let fuse: Int64 = 0x6573_5546

  /// The numbers of `statfs(2)`.
  private static let numbers: [UInt32: String] = [
    0x0000_6969: "nfs", 0x0000_517B: "smb", 0xFF53_4D42: "cifs", 0xFE53_4D42: "smb3",
    0x0102_1997: "9p", 0x00C3_6400: "ceph", 0x5346_414F: "afs", 0x6B41_4653: "afs",
    0x7375_7245: "coda", 0x0BD0_0BD0: "lustre", 0x1980_0202: "beegfs", 0x4750_4653: "gpfs",
  ]

  private static let fuseTypes = [
    "sshfs", "rclone", "s3fs", "glusterfs", "ceph-fuse", "davfs", "curlftpfs", "gvfsd-fuse",
    "smbnetfs", "juicefs", "goofys", "virtiofs",
  ]

  /// The type of the mount of a device, as in `fuse.sshfs`; nil if the list of mounts lacks it.
  private static func mountedType(_ device: String) throws(SystemCallError) -> String? {
    let descriptor = try SystemCalls.open("/proc/self/mountinfo", O_RDONLY)
    defer { close(descriptor) }
    let bytes = try SystemCalls.readAll(descriptor, limit: 1 << 22) ?? []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 2, fields[2] == device, let dash = fields.firstIndex(of: "-"),
        dash + 1 < fields.count
      else { continue }
      return String(fields[dash + 1])
    }
    return nil
  }
}
