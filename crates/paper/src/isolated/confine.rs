//! What a child may take and do: memory, working time, and nothing of the outside.
//!
//! A child says this of itself, before it reads the first byte of a file.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// Beyond what the program itself takes: eighty megapixels of a progressive JPEG need most of it.
const MEMORY: u64 = 1 << 30;

/// Bounds the memory, leaves no core behind, and lets this one go first when the machine has none
/// left. What the system does not grant is left alone: the bound on the time still holds.
pub(super) fn memory() {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kilobytes =
        size.and_then(|size| size.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    let most = kilobytes.unwrap_or(0) * 1024 + MEMORY;
    let _ = setrlimit(Resource::As, Rlimit { current: Some(most), maximum: Some(most) });
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
}

/// From now on so much working time, in whole seconds; the system ends whoever takes more. Waiting
/// for a core does not count.
pub(super) fn working_time(limit: Duration) {
    let spent = clock_gettime(ClockId::ProcessCPUTime).tv_sec.unsigned_abs();
    let until = spent + 1 + limit.as_secs().max(1);
    let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(until), maximum: None });
}

/// From now on only memory, threads, the clock and the pipes that are open. Anything else is
/// refused as not permitted, which whoever asks has to expect anyway.
pub(super) fn jail() {
    for filter in [no_new_way_to_fork(), only_what_is_needed()] {
        let _ = filter.map(|program| seccompiler::apply_filter(&program));
    }
}

fn compiled(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    matched: SeccompAction,
) -> Option<BpfProgram> {
    let arch = std::env::consts::ARCH.try_into().ok()?;
    SeccompFilter::new(rules, otherwise, matched, arch).ok()?.try_into().ok()
}

/// The flags of `clone3` cannot be looked at; told that it does not exist, threads are made with
/// `clone`.
fn no_new_way_to_fork() -> Option<BpfProgram> {
    let rules = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    compiled(rules, SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS as u32))
}

fn only_what_is_needed() -> Option<BpfProgram> {
    let thread = libc::CLONE_THREAD as u64;
    let is_thread = SeccompCmpOp::MaskedEq(thread);
    let is_thread = SeccompCondition::new(0, SeccompCmpArgLen::Qword, is_thread, thread).ok()?;
    let own = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 0).ok()?;
    let mut rules = BTreeMap::from([
        (libc::SYS_clone, vec![SeccompRule::new(vec![is_thread]).ok()?]),
        // Allowed here, it is refused as told above; of two refusals the later one would be heard.
        (libc::SYS_clone3, Vec::new()),
        (libc::SYS_prlimit64, vec![SeccompRule::new(vec![own]).ok()?]),
    ]);
    for call in NEEDED {
        rules.insert(*call, Vec::new());
    }
    compiled(rules, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow)
}

const NEEDED: &[i64] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_ppoll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_set_tid_address,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_tgkill,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::ErrorKind;
    use std::net::TcpListener;
    use std::process::Command;

    use super::jail;

    #[test]
    fn whoever_is_confined_has_memory_and_threads_and_nothing_else() {
        // A filter holds for the thread that asks for it and those that it starts.
        let confined = std::thread::spawn(|| {
            jail();
            let denied = |error: std::io::Error| error.kind() == ErrorKind::PermissionDenied;
            assert!(File::open("/etc/passwd").is_err_and(denied));
            assert!(File::create("/tmp/written").is_err_and(denied));
            assert!(TcpListener::bind("127.0.0.1:0").is_err_and(denied));
            assert!(Command::new("/bin/true").status().is_err());
            let sum =
                std::thread::spawn(|| vec![1u8; 8 << 20].iter().map(|one| u64::from(*one)).sum());
            assert_eq!(sum.join().ok(), Some(8u64 << 20));
        });
        assert!(confined.join().is_ok());
    }
}
