//! A small writer of PDF, good and bad.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use md5::{Digest, Md5};

/// Numbers the objects from 1 and adds the table of their places; the first is the catalogue.
pub(crate) fn bound(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes();
    for (n, object) in objects.iter().enumerate() {
        table.extend(format!("{:010} 00000 n \n", file.len()).into_bytes());
        file.extend(format!("{} 0 obj\n", n + 1).into_bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file.extend(table);
    file.extend(
        format!("trailer<</Size {size}/Root 1 0 R{trailer}>>\nstartxref\n{start}\n%%EOF")
            .into_bytes(),
    );
    file
}

pub(crate) fn stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let head = format!("<<{dictionary}/Length {}>>stream\n", data.len());
    [head.as_bytes(), data, b"\nendstream"].concat()
}

pub(crate) fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// What stands on one page, and around it.
#[derive(Clone)]
pub(crate) struct Sheet {
    pub(crate) content: Vec<u8>,
    /// Filters and the like of the content.
    pub(crate) stream: String,
    /// Entries of the page, such as `/Rotate 90`.
    pub(crate) page: String,
    pub(crate) media: String,
    /// Entries of its resources; objects from number 5 on are `more`.
    pub(crate) resources: String,
    pub(crate) more: Vec<Vec<u8>>,
    pub(crate) trailer: String,
}

impl Sheet {
    pub(crate) fn new(content: &str) -> Self {
        Self {
            content: content.as_bytes().to_vec(),
            stream: String::new(),
            page: String::new(),
            media: "0 0 595 842".to_owned(),
            resources: "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica\
                /Encoding/WinAnsiEncoding>>>>"
                .to_owned(),
            more: Vec::new(),
            trailer: String::new(),
        }
    }

    pub(crate) fn objects(&self) -> Vec<Vec<u8>> {
        let mut objects = vec![
            b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[{}]/Contents 4 0 R/Resources<<{}>>{}>>",
                self.media, self.resources, self.page
            )
            .into_bytes(),
            stream(&self.stream, &self.content),
        ];
        objects.extend(self.more.clone());
        objects
    }

    pub(crate) fn pdf(&self) -> Vec<u8> {
        bound(&self.objects(), &self.trailer)
    }
}

/// Lines of text from the top of a page.
pub(crate) fn lines(lines: &[&str]) -> String {
    let shown: Vec<String> = lines.iter().map(|line| format!("({line}) Tj T*\n")).collect();
    format!("BT /F 12 Tf 16 TL 72 760 Td\n{}ET", shown.concat())
}

/// A document of `count` pages that share one content.
pub(crate) fn pages(count: usize, content: &str) -> Vec<u8> {
    let sheet = Sheet::new(content);
    let mut objects = sheet.objects();
    let first = objects.len() + 1;
    let kids: Vec<String> = (0..count).map(|n| format!("{} 0 R ", first + n)).collect();
    let kids = kids.concat();
    objects[1] = format!("<</Type/Pages/Kids[{kids}]/Count {count}>>").into_bytes();
    let page = objects[2].clone();
    objects.extend(std::iter::repeat_n(page, count));
    bound(&objects, "")
}

const PADDING: [u8; 32] = *b"\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\
\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A";

/// One page under RC4 with a key of 128 bits (PDF 1.4, revision 3 of the standard handler).
pub(crate) fn encrypted(content: &str, password: &str) -> Vec<u8> {
    let id = [7u8; 16];
    let padded: Vec<u8> = password.bytes().chain(PADDING).take(32).collect();
    // The owner's entry only has to take part in the key.
    let owner = [9u8; 32];
    let permissions = -4i32;
    let mut key = Md5::new()
        .chain_update(&padded)
        .chain_update(owner)
        .chain_update(permissions.to_le_bytes())
        .chain_update(id)
        .finalize()
        .to_vec();
    for _ in 0..50 {
        key = Md5::digest(&key).to_vec();
    }
    let mut user = Md5::new().chain_update(PADDING).chain_update(id).finalize().to_vec();
    for round in 0..20u8 {
        let turned: Vec<u8> = key.iter().map(|byte| byte ^ round).collect();
        user = rc4(&turned, &user);
    }
    user.resize(32, 0);
    let mut sheet = Sheet::new(content);
    let salted = [key.as_slice(), &[4, 0, 0, 0, 0]].concat();
    sheet.content = rc4(&Md5::digest(salted), &sheet.content);
    sheet.more.push(
        format!(
            "<</Filter/Standard/V 2/R 3/Length 128/P {permissions}/O<{}>/U<{}>>>",
            hex(&owner),
            hex(&user)
        )
        .into_bytes(),
    );
    sheet.trailer = format!("/Encrypt 5 0 R/ID[<{0}><{0}>]", hex(&id));
    sheet.pdf()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

fn rc4(key: &[u8], data: &[u8]) -> Vec<u8> {
    let mut state: Vec<u8> = (0..=255).collect();
    let mut j = 0u8;
    for i in 0..256 {
        j = j.wrapping_add(state[i]).wrapping_add(key[i % key.len()]);
        state.swap(i, usize::from(j));
    }
    let (mut i, mut j) = (0u8, 0u8);
    data.iter()
        .map(|byte| {
            i = i.wrapping_add(1);
            j = j.wrapping_add(state[usize::from(i)]);
            state.swap(usize::from(i), usize::from(j));
            let at = state[usize::from(i)].wrapping_add(state[usize::from(j)]);
            byte ^ state[usize::from(at)]
        })
        .collect()
}
