//! Small files that cost whoever opens them everything, made here.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A file that was made to hurt.
pub(super) struct Bomb {
    pub(super) name: &'static str,
    pub(super) bytes: Vec<u8>,
}

pub(super) fn all() -> Vec<Bomb> {
    let bomb = |name, bytes| Bomb { name, bytes };
    vec![
        bomb("dashes.pdf", dashes()),
        bomb("shading.pdf", shading()),
        bomb("mask.pdf", mask()),
        bomb("dictionaries.pdf", dictionaries()),
        bomb("brackets.pdf", page("", &[], &"[".repeat(340_000))),
        bomb("forms.pdf", forms()),
        bomb("spaces.pdf", spaces()),
        bomb("pixels.png", pixels(8_890, 8_890)),
        bomb("too-many-pixels.png", pixels_said(60_000, 60_000)),
        bomb("overlapping.zip", overlapping()),
        bomb("multiparts.eml", multiparts()),
    ]
}

/// Objects from number 1 on, with the table of their places.
fn bound(objects: &[Vec<u8>]) -> Vec<u8> {
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
    let trailer = format!("trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF");
    file.extend(trailer.into_bytes());
    file
}

fn stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let head = format!("<<{dictionary}/Length {}>>stream\n", data.len());
    [head.as_bytes(), data, b"\nendstream"].concat()
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// One page; objects from number 5 on are `more`.
fn page(resources: &str, more: &[Vec<u8>], content: &str) -> Vec<u8> {
    let sheet = format!(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<{resources}>>>>"
    );
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        sheet.into_bytes(),
        stream("", content.as_bytes()),
    ];
    objects.extend_from_slice(more);
    bound(&objects)
}

/// A line in dashes of a millionth of a point each.
fn dashes() -> Vec<u8> {
    page("", &[], "[0.000001] 0 d 100 w 0 0 m 595 842 l S")
}

/// A program of a hundred thousand steps for each point of the page.
fn shading() -> Vec<u8> {
    let shading = "/Shading<</S<</ShadingType 1/ColorSpace/DeviceRGB/Domain[0 1 0 1]\
        /Matrix[595 0 0 842 0 0]/Function 5 0 R>>>>";
    let program = format!("{{{} dup dup }}", " 2 copy mul sin exch pop ".repeat(20_000));
    let function = "/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]";
    page(shading, &[stream(function, program.as_bytes())], "/S sh")
}

/// A picture of eight pixels a side under a mask of forty-four thousand.
fn mask() -> Vec<u8> {
    let entries = |side: u32, bits: u8| {
        format!(
            "/Type/XObject/Subtype/Image/Width {side}/Height {side}/ColorSpace/DeviceGray\
             /BitsPerComponent {bits}"
        )
    };
    let picture = stream(&(entries(8, 8) + "/SMask 6 0 R"), &[128; 64]);
    let row = vec![0; 44_000 / 8 * 44_000];
    let mask = stream(&(entries(44_000, 1) + "/Filter/FlateDecode"), &deflated(&row));
    page("/XObject<</I 5 0 R>>", &[picture, mask], "q 500 0 0 500 0 0 cm /I Do Q")
}

fn dictionaries() -> Vec<u8> {
    let deep = format!("/A {}1{}", "<</A ".repeat(97_000), ">>".repeat(97_000));
    page(&deep, &[], "")
}

/// Each form draws the next twice.
fn forms() -> Vec<u8> {
    let form = |n: usize| {
        let next = format!(
            "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</N {} 0 R>>>>",
            n + 1
        );
        stream(&next, b"/N Do /N Do")
    };
    let forms: Vec<_> = (5..45).map(form).collect();
    page("/XObject<</X5 5 0 R>>", &forms, "/X5 Do")
}

/// Content that expands a thousand times.
fn spaces() -> Vec<u8> {
    let objects = [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>".to_vec(),
        stream("/Filter/FlateDecode", &deflated(&vec![b' '; 300 << 20])),
    ];
    bound(&objects)
}

fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    crc.update(kind);
    crc.update(data);
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [&length, kind, data, &crc.sum().to_be_bytes()].concat()
}

fn png(width: u32, height: u32, data: &[u8]) -> Vec<u8> {
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    let header = [size.as_slice(), &[8, 2, 0, 0, 0]].concat();
    let end = chunk(b"IEND", b"");
    [b"\x89PNG\r\n\x1a\n".as_slice(), &chunk(b"IHDR", &header), &chunk(b"IDAT", data), &end]
        .concat()
}

/// As many pixels as are allowed, all there, in stripes: something to read.
fn pixels(width: u32, height: u32) -> Vec<u8> {
    let mut stripes = vec![0; width as usize * 3 + 1];
    for (n, byte) in stripes.iter_mut().enumerate().skip(1) {
        *byte = if n / 300 % 2 == 0 { 0 } else { 255 };
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..height {
        encoder.write_all(&stripes).unwrap();
    }
    png(width, height, &encoder.finish().unwrap())
}

fn pixels_said(width: u32, height: u32) -> Vec<u8> {
    png(width, height, &deflated(&[0; 1000]))
}

/// A ZIP of two names for the same bytes.
fn overlapping() -> Vec<u8> {
    let content = b"FACTURA";
    let mut crc = flate2::Crc::new();
    crc.update(content);
    let length = 7u32.to_le_bytes();
    let about = [
        b"\x14\0\0\0\0\0\0\0\0\0".as_slice(),
        &crc.sum().to_le_bytes(),
        &length,
        &length,
        b"\x05\0\0\0",
    ]
    .concat();
    let mut file = [b"PK\x03\x04".as_slice(), &about, b"1.txt", content].concat();
    let start = u32::try_from(file.len()).unwrap();
    for name in [b"1.txt", b"2.txt"] {
        file.extend([b"PK\x01\x02\x14\0".as_slice(), &about, &[0; 14], name].concat());
    }
    let size = u32::try_from(file.len()).unwrap() - start;
    let end = [
        b"PK\x05\x06\0\0\0\0\x02\0\x02\0".as_slice(),
        &size.to_le_bytes(),
        &start.to_le_bytes(),
        b"\0\0",
    ];
    file.extend(end.concat());
    file
}

/// Parts within parts within parts.
fn multiparts() -> Vec<u8> {
    let mut mail = b"From: a@example.com\r\nMIME-Version: 1.0\r\n".to_vec();
    for n in 0..20_000 {
        write!(mail, "Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n").unwrap();
    }
    mail
}
