//! One child: how it is started, asked, and what its death says.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};

use super::WORKER;
use super::wire::{Answer, Ask, receive, send};

/// What a child keeps open: so many files, and bytes of them together, the newest at least.
const FILES: usize = 8;
const BYTES: u64 = 64 << 20;
/// What travels without a switch between the two processes, where the system grants it.
const PIPE: usize = 1 << 20;
/// The last words of a child that are listened to.
const LAST_WORDS: u64 = 4096;
/// How long one that closed its pipes may take to end.
const ENDING: Duration = Duration::from_millis(500);

/// A child, and what it has open.
pub(super) struct RenderWorker {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    errors: ChildStderr,
    held: VecDeque<(u64, u64)>,
}

/// Why a child is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// It left in order: nobody had asked for a while.
    Left,
    /// Somebody stopped it, as they stop the whole house.
    Stopped,
    /// It worked for longer than it may.
    Slow,
    /// It asked for more memory than it may.
    Greedy,
    /// It died, or said what is no answer.
    Died,
}

impl RenderWorker {
    pub(super) fn start(program: &Path) -> io::Result<Self> {
        let mut child = Command::new(program)
            .arg0("turno")
            .arg(WORKER)
            .env_clear()
            .current_dir("/")
            // Not the group that a terminal interrupts: whoever waits for it is still draining.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (input, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = (input, output, errors) else {
            return Err(io::Error::other("a child without pipes"));
        };
        rustix::io::ioctl_fionbio(&input, true)?;
        rustix::io::ioctl_fionbio(&output, true)?;
        rustix::io::ioctl_fionbio(&errors, true)?;
        let _ = rustix::pipe::fcntl_setpipe_size(&input, PIPE);
        let _ = rustix::pipe::fcntl_setpipe_size(&output, PIPE);
        Ok(Self { child, input, output, errors, held: VecDeque::new() })
    }

    pub(super) fn holds(&self, id: u64) -> bool {
        self.held.iter().any(|(held, _)| *held == id)
    }

    /// Notes that it opens a file, and answers which others it has to let go.
    pub(super) fn hold(&mut self, id: u64, bytes: u64) -> Vec<u64> {
        let mut forget = Vec::new();
        let mut total: u64 = self.held.iter().map(|(_, bytes)| bytes).sum();
        while !self.held.is_empty() && (self.held.len() >= FILES || total + bytes > BYTES) {
            if let Some((id, bytes)) = self.held.pop_front() {
                total -= bytes;
                forget.push(id);
            }
        }
        self.held.push_back((id, bytes));
        forget
    }

    /// It did not open it after all.
    pub(super) fn release(&mut self, id: u64) {
        self.held.retain(|(held, _)| *held != id);
    }

    /// Asks and waits, so long by the clock on the wall. After an error it is of no use.
    pub(super) fn ask(
        &mut self,
        ask: &Ask,
        file: &[u8],
        within: Duration,
        most: u64,
    ) -> io::Result<(Answer, Vec<u8>)> {
        send(&mut Timed::within(&self.input, within), ask, file)?;
        receive(&mut Timed::within(&self.output, within), most)
    }

    /// Ends it, and says what had happened.
    pub(super) fn end(mut self, error: &io::Error) -> Lost {
        // One whose pipes are closed is about to end: how, it says better than we do by ending it.
        if was_over(error)
            && let Ok(end) = pidfd_open(Pid::from_child(&self.child), PidfdFlags::empty())
        {
            let _ = Timed::within(&end, ENDING).is_ready();
        }
        // One that is dead already stays as it died.
        let _ = self.child.kill();
        let Ok(status) = self.child.wait() else { return Lost::Died };
        if error.kind() == io::ErrorKind::TimedOut {
            return Lost::Slow;
        }
        let mut words = Vec::new();
        let _ = (&mut self.errors).take(LAST_WORDS).read_to_end(&mut words);
        let is = |signal: Signal| status.signal() == Some(signal.as_raw());
        if status.success() {
            Lost::Left
        } else if is(Signal::XCPU) {
            Lost::Slow
        } else if [Signal::TERM, Signal::INT, Signal::HUP].into_iter().any(is) {
            Lost::Stopped
        } else if is(Signal::ABORT) && words.starts_with(b"memory allocation") {
            Lost::Greedy
        } else if is(Signal::KILL) && was_over(error) {
            // Not by us: the system had no memory left.
            Lost::Greedy
        } else {
            Lost::Died
        }
    }
}

/// Whether its pipes were closed before it was ended.
fn was_over(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe)
}

impl Drop for RenderWorker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A pipe that is waited for until an instant.
pub(super) struct Timed<F> {
    pipe: F,
    until: Instant,
}

impl<F: AsFd> Timed<F> {
    pub(super) fn within(pipe: F, time: Duration) -> Self {
        Self { pipe, until: Instant::now() + time }
    }

    /// Whether there is something to read, or an end, in time.
    pub(super) fn is_ready(&self) -> io::Result<bool> {
        self.wait(PollFlags::IN)
    }

    fn wait(&self, what: PollFlags) -> io::Result<bool> {
        let left = self.until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).map_err(io::Error::other)?;
        let mut pipes = [PollFd::new(&self.pipe, what)];
        match poll(&mut pipes, Some(&left)) {
            Ok(ready) => Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// Tries, and waits where that would wait for ever.
    fn patiently(
        &self,
        what: PollFlags,
        mut attempt: impl FnMut(&F) -> rustix::io::Result<usize>,
    ) -> io::Result<usize> {
        loop {
            match attempt(&self.pipe) {
                Err(rustix::io::Errno::AGAIN) => {}
                Err(rustix::io::Errno::INTR) => continue,
                done => return Ok(done?),
            }
            if !self.wait(what)? {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
    }
}

impl<F: AsFd> Read for Timed<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.patiently(PollFlags::IN, |pipe| rustix::io::read(pipe, &mut *buffer))
    }
}

impl<F: AsFd> Write for Timed<F> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.patiently(PollFlags::OUT, |pipe| rustix::io::write(pipe, buffer))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
