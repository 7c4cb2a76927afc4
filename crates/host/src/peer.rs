//! Where a request comes from: the address at the other end, and whether a proxy stands between.

use std::{
    convert::Infallible,
    net::{IpAddr, SocketAddr},
};

use axum::{
    extract::{ConnectInfo, FromRequestParts, Request},
    http::{HeaderMap, HeaderName, header, request::Parts},
};

/// Proxies whose word about the client is taken: addresses, or networks such as `10.0.0.0/8`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxies(Vec<(IpAddr, u8)>);

impl Proxies {
    /// The entry that is none, if there is one.
    pub fn read<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<Self, &'a str> {
        entries
            .into_iter()
            .map(|text| network(text).ok_or(text))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    pub fn covers(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|(network, bits)| lies_in(address, *network, *bits))
    }
}

fn network(text: &str) -> Option<(IpAddr, u8)> {
    let (address, bits) = match text.trim().split_once('/') {
        Some((address, bits)) => (address.parse::<IpAddr>().ok()?, Some(bits.parse().ok()?)),
        None => (text.trim().parse::<IpAddr>().ok()?, None),
    };
    let most = if address.is_ipv4() { 32 } else { 128 };
    let bits = bits.unwrap_or(most);
    (bits <= most).then_some((address, bits))
}

fn lies_in(address: IpAddr, network: IpAddr, bits: u8) -> bool {
    let top = |bytes: &[u8]| {
        let number = bytes.iter().fold(0_u128, |sum, byte| sum << 8 | u128::from(*byte));
        let left = bytes.len() as u32 * 8 - u32::from(bits);
        number.checked_shr(left).unwrap_or_default()
    };
    match (address, network) {
        (IpAddr::V4(one), IpAddr::V4(other)) => top(&one.octets()) == top(&other.octets()),
        (IpAddr::V6(one), IpAddr::V6(other)) => top(&one.octets()) == top(&other.octets()),
        _ => false,
    }
}

/// Who is at the other end of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The client's address, as far as it can be known: the socket's, or what a trusted proxy says.
    /// None where no socket was: a router asked inside the process.
    pub address: Option<IpAddr>,
    /// Whether anything says that a proxy passed it on.
    pub proxied: bool,
}

impl Peer {
    pub(crate) fn of(request: &Request, trusted: &Proxies) -> Self {
        let socket = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let socket = socket.map(|info| info.0.ip().to_canonical());
        let headers = request.headers();
        let named = || client_named(headers, trusted);
        let address = match socket {
            Some(proxy) if trusted.covers(proxy) => named().or(socket),
            other => other,
        };
        Self { address, proxied: passed_on(headers) }
    }

    /// Whether the client is a program of this machine.
    pub fn is_here(self) -> bool {
        !self.proxied && self.address.is_some_and(|address| address.is_loopback())
    }
}

/// Whether a proxy left its mark. Only a client that wants less could add one itself.
fn passed_on(headers: &HeaderMap) -> bool {
    headers.contains_key(header::FORWARDED)
        || headers.contains_key(header::VIA)
        || headers.contains_key("x-real-ip")
        || headers.keys().any(|name| name.as_str().starts_with("x-forwarded-"))
}

/// The last address on the way that is no proxy of ours: whatever stands before it anyone can write.
fn client_named(headers: &HeaderMap, trusted: &Proxies) -> Option<IpAddr> {
    let all = |name: HeaderName| {
        let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|text| text.split(',')).map(str::to_owned).collect::<Vec<String>>()
    };
    let mut hops = all(HeaderName::from_static("x-forwarded-for"));
    if hops.is_empty() {
        let named = |hop: &String| {
            let mut pairs = hop.split(';').filter_map(|pair| pair.trim().split_once('='));
            let found = pairs.find(|(name, _)| name.eq_ignore_ascii_case("for"));
            found.map(|(_, value)| value.trim().trim_matches('"').to_owned())
        };
        hops = all(header::FORWARDED).iter().filter_map(named).collect();
    }
    let addresses = hops.iter().rev().map(|hop| address(hop));
    // An entry that is no address ends the chain: nothing before it can be trusted either.
    let known = addresses.take_while(Option::is_some).flatten();
    let mut last = None;
    for address in known {
        last = Some(address);
        if !trusted.covers(address) {
            break;
        }
    }
    last
}

/// `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1` or `[2001:db8::1]:4711`.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.strip_prefix('[').and_then(|rest| rest.split(']').next()).unwrap_or(text);
    let socket = || bare.parse::<SocketAddr>().map(|socket| socket.ip());
    bare.parse().or_else(|_| socket()).ok().map(|address: IpAddr| address.to_canonical())
}

impl<S: Send + Sync> FromRequestParts<S> for Peer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        // The door puts one on every request; a request that came past it comes from anywhere.
        let found = parts.extensions.get::<Self>().copied();
        Ok(found.unwrap_or(Self { address: None, proxied: true }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(socket: &str, headers: &[(&'static str, &str)]) -> Peer {
        let mut request = Request::new(axum::body::Body::empty());
        let socket: SocketAddr = socket.parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(socket));
        for (name, value) in headers {
            request.headers_mut().append(*name, value.parse().unwrap());
        }
        Peer::of(&request, &Proxies::read(["10.0.0.0/8", "::1"]).unwrap())
    }

    #[test]
    fn what_a_proxy_marks_is_not_of_this_machine() {
        assert!(peer("127.0.0.1:1", &[]).is_here());
        assert!(peer("[::ffff:127.0.0.1]:1", &[]).is_here());
        assert!(!peer("192.0.2.1:1", &[]).is_here());
        for mark in ["forwarded", "via", "x-forwarded-for", "x-forwarded-proto", "x-real-ip"] {
            assert!(!peer("127.0.0.1:1", &[(mark, "192.0.2.1")]).is_here(), "{mark}");
        }
    }

    #[test]
    fn only_a_trusted_proxy_says_who_the_client_is() {
        let seen = |socket: &str, headers: &[(&'static str, &str)]| {
            peer(socket, headers).address.unwrap().to_string()
        };
        let claimed = [("x-forwarded-for", "203.0.113.7")];
        assert_eq!(seen("192.0.2.1:1", &claimed), "192.0.2.1", "a stranger's word is no proof");
        assert_eq!(seen("10.1.2.3:1", &claimed), "203.0.113.7");
        let chain = [("x-forwarded-for", "1.1.1.1, 203.0.113.7"), ("x-forwarded-for", "10.9.9.9")];
        assert_eq!(seen("10.1.2.3:1", &chain), "203.0.113.7", "nobody writes himself in front");
        let forwarded = [("forwarded", "for=1.1.1.1, for=\"[2001:db8::1]:4711\";proto=https")];
        assert_eq!(seen("[::1]:1", &forwarded), "2001:db8::1");
        assert_eq!(seen("10.1.2.3:1", &[("x-forwarded-for", "nobody")]), "10.1.2.3");
        let torn = [("x-forwarded-for", "1.1.1.1, unknown, 10.0.0.2")];
        assert_eq!(seen("10.1.2.3:1", &torn), "10.0.0.2");
    }

    #[test]
    fn networks_are_read_with_their_length() {
        let office = Proxies::read(["192.0.2.0/24", "2001:db8::/32", "10.0.0.1"]).unwrap();
        let covers = |text: &str| office.covers(text.parse().unwrap());
        for inside in ["192.0.2.255", "2001:db8:ffff::1", "10.0.0.1", "::ffff:192.0.2.9"] {
            assert!(covers(inside), "{inside}");
        }
        for outside in ["192.0.3.0", "2001:db9::", "10.0.0.2", "::1"] {
            assert!(!covers(outside), "{outside}");
        }
        assert!(Proxies::read(["0.0.0.0/0"]).unwrap().covers("192.0.2.1".parse().unwrap()));
        for wrong in ["10.0.0.0/33", "::/129", "x", "", "10.0.0.0/-1", "10.0.0.0/"] {
            assert_eq!(Proxies::read([wrong]), Err(wrong));
        }
    }
}
