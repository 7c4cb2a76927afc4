//! The little of BER that SNMP needs, written and read.

pub(super) const INTEGER: u8 = 0x02;
pub(super) const BYTES: u8 = 0x04;
pub(super) const NULL: u8 = 0x05;
pub(super) const OID: u8 = 0x06;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const TICKS: u8 = 0x43;

/// Appends a value whose content `fill` writes.
pub(super) fn wrap(out: &mut Vec<u8>, tag: u8, fill: impl FnOnce(&mut Vec<u8>)) {
    out.extend([tag, 0]);
    let start = out.len();
    fill(out);
    let length = out.len() - start;
    if length < 0x80 {
        out[start - 1] = length as u8;
        return;
    }
    let bytes = (length as u32).to_be_bytes();
    let needed = &bytes[bytes.iter().take_while(|byte| **byte == 0).count()..];
    out[start - 1] = 0x80 | needed.len() as u8;
    out.splice(start..start, needed.iter().copied());
}

pub(super) fn integer(out: &mut Vec<u8>, tag: u8, value: i64) {
    let bytes = value.to_be_bytes();
    // The shortest form keeps one bit of sign.
    let needless = |at: usize| {
        at + 1 < bytes.len() && matches!((bytes[at], bytes[at + 1] & 0x80), (0, 0) | (0xff, 0x80))
    };
    let start = (0..bytes.len()).find(|at| !needless(*at)).unwrap_or(bytes.len() - 1);
    wrap(out, tag, |out| out.extend(&bytes[start..]));
}

pub(super) fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    wrap(out, BYTES, |out| out.extend(bytes));
}

pub(super) fn oid(out: &mut Vec<u8>, arcs: &[u32]) {
    wrap(out, OID, |out| {
        let (first, second) = (arcs.first().copied(), arcs.get(1).copied());
        let head = u64::from(first.unwrap_or(0)) * 40 + u64::from(second.unwrap_or(0));
        base128(out, head);
        arcs.iter().skip(2).for_each(|arc| base128(out, u64::from(*arc)));
    });
}

fn base128(out: &mut Vec<u8>, value: u64) {
    let groups = (64 - (value | 1).leading_zeros()).div_ceil(7);
    for group in (0..groups).rev() {
        let more = if group > 0 { 0x80 } else { 0 };
        out.push((value >> (7 * group)) as u8 & 0x7f | more);
    }
}

/// What is left to read; every step that does not fit is `None`.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn any(&mut self) -> Option<(u8, &'a [u8])> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, mut rest) = rest.split_first()?;
        let mut length = usize::from(first);
        if first & 0x80 != 0 {
            let (bytes, after) = rest.split_at_checked(usize::from(first & 0x7f))?;
            if bytes.is_empty() || bytes.len() > 4 {
                return None;
            }
            length = bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
            rest = after;
        }
        let (content, after) = rest.split_at_checked(length)?;
        self.0 = after;
        Some((tag, content))
    }

    pub(super) fn expect(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.any().filter(|(found, _)| *found == tag).map(|(_, content)| content)
    }

    pub(super) fn integer(&mut self) -> Option<i32> {
        let content = self.expect(INTEGER)?;
        let (&first, _) = content.split_first().filter(|_| content.len() <= 4)?;
        let start = if first & 0x80 == 0 { 0 } else { -1 };
        Some(content.iter().fold(start, |sum: i32, byte| sum << 8 | i32::from(*byte)))
    }

    pub(super) fn oid(&mut self) -> Option<Vec<u32>> {
        let content = self.expect(OID)?;
        let mut arcs = Vec::with_capacity(content.len() + 1);
        let mut arc: u64 = 0;
        for byte in content {
            arc = arc << 7 | u64::from(byte & 0x7f);
            if arc > u64::from(u32::MAX) + 80 {
                return None;
            }
            if byte & 0x80 == 0 {
                if arcs.is_empty() {
                    let head = (arc / 40).min(2);
                    arcs.push(head as u32);
                    arc -= head * 40;
                }
                arcs.push(u32::try_from(arc).ok()?);
                arc = 0;
            }
        }
        Some(arcs)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn integers_and_names_read_back(
            number: i32,
            head in 0_u32..3,
            second in 0_u32..40,
            tail in proptest::collection::vec(any::<u32>(), 0..20),
        ) {
            let mut out = Vec::new();
            integer(&mut out, INTEGER, i64::from(number));
            prop_assert_eq!(Reader(&out).integer(), Some(number));
            let arcs = [vec![head, second], tail].concat();
            let mut out = Vec::new();
            oid(&mut out, &arcs);
            prop_assert_eq!(Reader(&out).oid(), Some(arcs));
        }

        #[test]
        fn long_contents_read_back(length in 0_usize..70_000) {
            let mut out = Vec::new();
            bytes(&mut out, &vec![7; length]);
            prop_assert_eq!(Reader(&out).expect(BYTES).map(<[u8]>::len), Some(length));
        }

        #[test]
        fn noise_is_refused_without_harm(noise: Vec<u8>) {
            let mut reader = Reader(&noise);
            while reader.any().is_some() {}
            let _ = (Reader(&noise).integer(), Reader(&noise).oid());
        }
    }
}
