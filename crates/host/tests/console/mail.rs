//! Alerts leave by mail too.

use std::sync::{Arc, Mutex};

use engine::Sentence;
use host::{Access, Alert, AlertChannels, Severity};
use jiff::SignedDuration;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};

use crate::house::House;

/// A mail server that we do not own: it turns the first message away and takes the others.
#[derive(Clone, Default)]
struct Post(Arc<Mutex<Taken>>);

#[derive(Default)]
struct Taken {
    asked: u32,
    receivers: Vec<String>,
    letters: Vec<String>,
}

impl Post {
    async fn open(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let post = self.clone();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                post.talk(socket).await;
            }
        });
        format!("smtp://{address}")
    }

    async fn talk(&self, socket: TcpStream) {
        let (from, mut to) = socket.into_split();
        let mut lines = BufReader::new(from).lines();
        to.write_all(b"220 post\r\n").await.unwrap();
        while let Ok(Some(line)) = lines.next_line().await {
            let answer = match line.split([' ', ':']).next().unwrap_or_default() {
                "MAIL" => {
                    let mut taken = self.0.lock().unwrap();
                    taken.asked += 1;
                    if taken.asked == 1 { "451 later" } else { "250 well" }
                }
                "RCPT" => {
                    self.0.lock().unwrap().receivers.push(line);
                    "250 well"
                }
                "DATA" => {
                    to.write_all(b"354 go on\r\n").await.unwrap();
                    let mut letter = Vec::new();
                    while let Ok(Some(line)) = lines.next_line().await {
                        if line == "." {
                            break;
                        }
                        letter.push(line);
                    }
                    self.0.lock().unwrap().letters.push(letter.join("\n"));
                    "250 taken"
                }
                "QUIT" => "221 bye",
                _ => "250 well",
            };
            if to.write_all(format!("{answer}\r\n").as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

#[tokio::test]
async fn people_are_told_by_mail_and_again_until_it_is_taken() {
    let post = Post::default();
    let channels = AlertChannels {
        smtp_url: Some(post.open().await),
        smtp_from: Some("turno@example.com".into()),
        smtp_to: vec!["ana@example.com".into(), "luis@example.com".into()],
        throttle: SignedDuration::from_mins(30),
        ..AlertChannels::default()
    };
    let house = House::with_channels(Access::Open, channels).await;
    let title = Sentence::new("Pedidos muy atrasados", "Orders very late");
    let detail = Sentence::new("2 por más de 10 minutos", "2 by more than 10 minutes");
    let alert = Alert::new("demo", "demo/atrasados", Severity::Critical, title, detail);
    house.context.raise(alert).await.unwrap();
    house.advance(SignedDuration::ZERO).await;
    assert_eq!(post.0.lock().unwrap().letters.len(), 0, "it was turned away");
    house.advance(SignedDuration::from_hours(1)).await;
    house.advance(SignedDuration::from_hours(1)).await;
    let taken = post.0.lock().unwrap();
    let [letter] = taken.letters.as_slice() else { panic!("{:?}", taken.letters) };
    for receiver in ["ana", "luis"] {
        let told = taken.receivers.iter().any(|line| line.contains(&format!("{receiver}@")));
        assert!(told, "{receiver}: {:?}", taken.receivers);
    }
    let told = letter.contains("Pedidos muy atrasados") && letter.contains("Orders very late");
    assert!(told, "{letter}");
}
