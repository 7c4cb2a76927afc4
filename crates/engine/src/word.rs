//! Closed sets of words: states, kinds, modes and roles as the database and the outside spell them.

/// A set of values, each with the one word it is written as.
pub trait Word: Copy + Eq + 'static {
    const ALL: &'static [Self];

    /// The word the outside contract and the database use.
    fn word(self) -> &'static str;

    /// What a word means; `None` when it is none of ours.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.word() == word)
    }
}

/// Declares an enum whose values are words.
///
/// ```text
/// engine::words! {
///     /// How an order leaves the shop.
///     pub enum Service { Pickup = "RETIRO", Delivery = "ENVIO" }
/// }
/// ```
#[macro_export]
macro_rules! words {
    ($($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident = $word:literal),* $(,)?
    })*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $crate::Word for $name {
            const ALL: &'static [Self] = &[$(Self::$variant,)*];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    )*};
}

#[cfg(test)]
mod tests {
    use super::*;

    words! {
        enum Service { Pickup = "RETIRO", Delivery = "ENVIO" }
    }

    #[test]
    fn a_word_and_its_meaning_lead_to_each_other() {
        assert_eq!(Service::from_word("ENVIO"), Some(Service::Delivery));
        assert_eq!(Service::Pickup.word(), "RETIRO");
        assert_eq!(Service::from_word("envio"), None);
        assert_eq!(Service::ALL.len(), 2);
    }
}
