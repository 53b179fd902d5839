//! Drives whose changes are made elsewhere, so that this system reports only
//! some of them.

use std::path::Path;

/// File systems of other machines, and of programs that stand for one.
const SILENT: [&str; 17] = [
    "9p",
    "afs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "drvfs",
    "fuse.davfs2",
    "fuse.glusterfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "ncpfs",
    "prl_fs",
    "smb3",
    "smbfs",
    "vboxsf",
];

/// The kind of drive that a path is on, where that reports no changes; none
/// also where the system does not tell.
pub(super) fn silent(path: &Path) -> Option<String> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let kind = kind_of(&mounts, path)?;
    (SILENT.contains(&kind) || kind.starts_with("nfs")).then(|| kind.to_owned())
}

/// The file system that the path is on, from Linux's list of mounts: of those
/// at the longest path, the last one, which hides those before it.
fn kind_of<'a>(mounts: &'a str, path: &Path) -> Option<&'a str> {
    let mut longest = 0;
    let mut found = None;
    for line in mounts.lines() {
        // 36 35 98:0 /root /where/it/is rw,noatime master:1 - ext4 /dev/sda rw
        let (before, after) = line.split_once(" - ")?;
        let point = unescape(before.split(' ').nth(4)?);
        if path.starts_with(&point) && point.len() >= longest {
            longest = point.len();
            found = after.split(' ').next();
        }
    }
    found
}

/// Spaces and the like stand as `\040`: a backslash and three octal digits.
fn unescape(point: &str) -> String {
    let mut text = String::new();
    let mut rest = point;
    while let Some(at) = rest.find('\\') {
        let code = rest
            .get(at + 1..at + 4)
            .and_then(|code| u8::from_str_radix(code, 8).ok());
        text.push_str(&rest[..at]);
        match code {
            Some(code) if code.is_ascii() => {
                text.push(char::from(code));
                rest = &rest[at + 4..];
            }
            _ => {
                text.push('\\');
                rest = &rest[at + 1..];
            }
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_and_latest_mount_counts() {
        let mounts = "\
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
            40 22 0:45 / /mnt/c rw,noatime - 9p drvfs rw\n\
            41 22 0:46 / /home/me/My\\040Notes rw - nfs4 server:/notes rw\n\
            42 41 8:2 / /home/me/My\\040Notes/local rw - btrfs /dev/sdb rw\n\
            43 22 8:3 / /data rw - cifs //server/data rw\n\
            44 43 8:4 / /data rw master:1 - xfs /dev/sdc rw\n";
        for (path, kind) in [
            ("/home/me/notes", "ext4"),
            ("/mnt/c/Users/me/notes", "9p"),
            ("/mnt/cc", "ext4"),
            ("/home/me/My Notes/work", "nfs4"),
            ("/home/me/My Notes/local/x", "btrfs"),
            ("/data/notes", "xfs"),
        ] {
            assert_eq!(kind_of(mounts, Path::new(path)), Some(kind), "{path}");
        }
        assert_eq!(kind_of("nonsense\n", Path::new("/")), None);
        assert_eq!(unescape("a\\134b\\x\\"), "a\\b\\x\\");
    }
}
