//! Samples as born-digital PDF.

use pdf_writer::{Content, Name, Pdf, Rect, Ref, Str};

use crate::{
    Sample,
    layout::{Layout, Panel, Run},
    metrics::Face,
};

/// All pages of the samples, one after the other.
pub fn pdf(samples: &[&Sample]) -> Vec<u8> {
    let pages: Vec<&Layout> = samples.iter().flat_map(|sample| &sample.pages).collect();
    let mut book = Book::new(pages.len());
    for (n, page) in pages.iter().enumerate() {
        book.page(n, page);
    }
    book.finish()
}

const CATALOG: i32 = 1;
const TREE: i32 = 2;
const FONTS: i32 = 3;
const FIRST_PAGE: i32 = FONTS + Face::ALL.len() as i32;

struct Book {
    pdf: Pdf,
    count: usize,
}

impl Book {
    fn new(count: usize) -> Self {
        let mut pdf = Pdf::new();
        pdf.catalog(Ref::new(CATALOG)).pages(Ref::new(TREE));
        let kids: Vec<Ref> = (0..count).map(|n| page_ref(n).0).collect();
        pdf.pages(Ref::new(TREE)).kids(kids).count(count as i32);
        for (n, face) in Face::ALL.into_iter().enumerate() {
            pdf.type1_font(Ref::new(FONTS + n as i32))
                .base_font(Name(face.base_font().as_bytes()))
                .encoding_predefined(Name(b"WinAnsiEncoding"));
        }
        Self { pdf, count }
    }

    fn page(&mut self, n: usize, layout: &Layout) {
        let (page, content) = page_ref(n);
        let mut entry = self.pdf.page(page);
        entry.parent(Ref::new(TREE)).contents(content);
        entry.media_box(Rect::new(0.0, 0.0, layout.width, layout.height));
        let mut resources = entry.resources();
        let mut fonts = resources.fonts();
        for (n, face) in Face::ALL.into_iter().enumerate() {
            fonts.pair(name(face), Ref::new(FONTS + n as i32));
        }
        drop(fonts);
        drop(resources);
        drop(entry);
        self.pdf.stream(content, &drawing(layout));
    }

    fn finish(self) -> Vec<u8> {
        debug_assert!(self.count > 0, "a book without pages");
        self.pdf.finish()
    }
}

fn page_ref(n: usize) -> (Ref, Ref) {
    let first = FIRST_PAGE + 2 * n as i32;
    (Ref::new(first), Ref::new(first + 1))
}

fn name(face: Face) -> Name<'static> {
    Name(match face {
        Face::Sans => b"F1",
        Face::SansBold => b"F2",
        Face::Serif => b"F3",
        Face::SerifBold => b"F4",
        Face::Mono => b"F5",
        Face::MonoBold => b"F6",
    })
}

fn drawing(layout: &Layout) -> Vec<u8> {
    let mut content = Content::new();
    for Panel { place, shade } in &layout.panels {
        content.set_fill_gray(f32::from(*shade) / 255.0);
        content.rect(place.x, layout.height - place.bottom(), place.w, place.h);
        content.fill_nonzero();
    }
    for Run { x, baseline, size, face, shade, text } in &layout.runs {
        content.set_fill_gray(f32::from(*shade) / 255.0);
        content.begin_text();
        content.set_font(name(*face), *size);
        content.next_line(*x, layout.height - baseline);
        content.show(Str(&win_ansi(text)));
        content.end_text();
    }
    content.finish().to_vec()
}

/// Letters outside the encoding become question marks; the word lists have none.
fn win_ansi(text: &str) -> Vec<u8> {
    text.chars()
        .map(|letter| match letter {
            '€' => 0x80,
            'œ' => 0x9c,
            '\u{2018}' => 0x91,
            '\u{2019}' => 0x92,
            '\u{201c}' => 0x93,
            '\u{201d}' => 0x94,
            '•' => 0x95,
            '–' => 0x96,
            '—' => 0x97,
            other => u8::try_from(u32::from(other)).unwrap_or(b'?'),
        })
        .collect()
}

/// A PDF of pictures: each a JPEG that fills its page.
pub(crate) fn picture_pdf(pictures: &[(Vec<u8>, (u32, u32))], dpi: f32) -> Vec<u8> {
    let mut pdf = Pdf::new();
    let refs = |n: usize, part: i32| Ref::new(3 + 3 * n as i32 + part);
    pdf.catalog(Ref::new(CATALOG)).pages(Ref::new(TREE));
    let kids: Vec<Ref> = (0..pictures.len()).map(|n| refs(n, 0)).collect();
    pdf.pages(Ref::new(TREE)).kids(kids).count(pictures.len() as i32);
    for (n, (jpeg, (width, height))) in pictures.iter().enumerate() {
        let (w, h) = (*width as f32 * 72.0 / dpi, *height as f32 * 72.0 / dpi);
        let mut page = pdf.page(refs(n, 0));
        page.parent(Ref::new(TREE)).contents(refs(n, 1)).media_box(Rect::new(0.0, 0.0, w, h));
        page.resources().x_objects().pair(Name(b"I"), refs(n, 2));
        drop(page);
        let mut content = Content::new();
        content.transform([w, 0.0, 0.0, h, 0.0, 0.0]);
        content.x_object(Name(b"I"));
        pdf.stream(refs(n, 1), &content.finish());
        let mut image = pdf.image_xobject(refs(n, 2), jpeg);
        image.filter(pdf_writer::Filter::DctDecode);
        image.width(*width as i32).height(*height as i32).bits_per_component(8);
        image.color_space().device_rgb();
    }
    pdf.finish()
}
