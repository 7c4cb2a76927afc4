//! Where answers may be sent: an address from outside must not make this server knock at doors
//! inside.

// Addresses as values: no socket can be opened with these.
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::Url;

use engine::Sentence;

const LONGEST: usize = 2000;

/// An address that may be called, or why not.
pub fn check(text: &str, private: bool) -> Result<Url, Sentence> {
    let url = Url::parse(text).ok().filter(|_| text.len() <= LONGEST);
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let Some(url) = url else {
        return Err(Sentence::new(
            "«callback_url» tiene que ser una dirección http:// o https://.",
            "“callback_url” has to be an http:// or https:// address.",
        ));
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Sentence::new(
            "«callback_url» no lleva usuario ni contraseña; la firma dice quién llama.",
            "“callback_url” takes no user or password; the signature says who calls.",
        ));
    }
    if points_inside(&url) && !private {
        return Err(Sentence::new(
            "«callback_url» apunta dentro de la red; DOCPROC_CALLBACK_PRIVATE lo permite.",
            "“callback_url” points inside the network; DOCPROC_CALLBACK_PRIVATE allows it.",
        ));
    }
    Ok(url)
}

/// Whether this text is the address of something inside.
pub fn is_inside(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| points_inside(&url))
}

/// Whether two addresses are of one service: scheme, host and port.
pub fn is_same_service(one: &str, other: &str) -> bool {
    let service = |text: &str| Url::parse(text.trim()).ok().map(|url| url.origin());
    service(one).is_some_and(|one| one.is_tuple() && service(other) == Some(one))
}

/// Whether an address says by itself that it is not out in the world. Where a name points is known
/// only when it is looked up.
fn points_inside(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host.parse::<IpAddr>().map_or_else(|_| is_local_name(host), is_private)
}

fn is_local_name(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host == "localhost" || host.ends_with(".localhost")
}

/// Not out in the world: this machine, its neighbours, and what no packet may be sent to.
pub fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        // This network, carriers' own, protocol assignments, benchmarks, reserved.
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 240
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    let inner = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_private_v4(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        // Mapped, compatible and translated addresses are the IPv4 address within.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => inner(high, low),
        // Protocols' own, tunnels among them, and what is for documentation.
        [0x2001, ..0x200 | 0xdb8, ..] | [0x3fff, ..0x1000, ..] => true,
        // Only this much of the rest is out in the world.
        [first, ..] => (first & 0xe000) != 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_addresses_out_in_the_world() {
        for good in ["http://example.com/x", "https://93.184.216.34:8443/", "http://[2a00::1]/"] {
            assert!(check(good, false).is_ok(), "{good}");
        }
        for inside in [
            "http://127.0.0.1/",
            "http://localhost:80/",
            "http://LOCALHOST./",
            "http://10.1.2.3/",
            "http://169.254.169.254/latest/meta-data/",
            "http://0x7f000001/",
            "http://2130706433/",
            "http://[::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://[fd00::1]/",
            "http://[fe80::1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[2002:7f00:1::]/",
            "http://[64:ff9b:1::a00:1]/",
            "http://[::ffff:0:10.0.0.1]/",
            "http://[2001:0:53aa:64c:0:0:80ff:fffe]/",
            "http://[5f00::1]/",
            "http://100.64.0.1/",
            "http://0.0.0.0/",
        ] {
            assert!(check(inside, false).is_err(), "{inside}");
            assert!(check(inside, true).is_ok(), "{inside}");
        }
        let bad = ["", "example.com", "ftp://example.com/", "http://", "http://u:p@example.com/"];
        for bad in bad {
            assert!(check(bad, true).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_service_is_scheme_host_and_port() {
        let ours = "https://OCR.example:443/v1?x=1";
        assert!(is_same_service(ours, " https://ocr.example "));
        let others = ["http://ocr.example", "https://ocr.example:8443", "https://ocr.example.evil"];
        let tricks = ["https://ocr.example@evil.example/", "ocr.example", "", "data:x"];
        for other in others.into_iter().chain(tricks) {
            assert!(!is_same_service(ours, other), "{other}");
            assert!(!is_same_service(other, ours), "{other}");
        }
        assert!(!is_same_service("data:x", "data:x"), "what is no service is not even itself");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,200}") {
            let _ = check(&text, false);
        }

        /// An IPv4 address is inside in each of its disguises, or in none.
        #[test]
        fn disguises_do_not_help(bits in any::<u32>()) {
            let plain = Ipv4Addr::from(bits);
            let [a, b, c, d] = plain.octets();
            let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
            let disguised = [
                plain.to_ipv6_mapped(),
                Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
                Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            ];
            for one in disguised {
                prop_assert_eq!(is_private(one.into()), is_private(plain.into()), "{}", one);
            }
        }
    }
}
