//! The encoding of values in files.

/// Engines by name.
pub(crate) mod engine {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use crate::engine::Engine;

    pub(crate) fn serialize<S: Serializer>(engine: &Engine, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(engine)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Engine, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }

    /// The same where there may be none.
    pub(crate) mod optional {
        use serde::Serialize;

        use super::{Deserializer, Engine, Serializer};

        pub(crate) fn serialize<S: Serializer>(engine: &Option<Engine>, to: S) -> Result<S::Ok, S::Error> {
            engine.map(|engine| engine.to_string()).serialize(to)
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Engine>, D::Error> {
            super::deserialize(from).map(Some)
        }
    }
}

/// Values as text.
pub(crate) mod text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(crate) fn serialize<S: Serializer>(value: &impl Display, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub(crate) fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

/// Times in seconds.
pub(crate) mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(crate) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(time.as_secs_f64())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(from)?).map_err(de::Error::custom)
    }
}
