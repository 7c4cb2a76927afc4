// Two short tones. Browsers let a page sound only after somebody touched it.

let audio = null;
let wanted = localStorage.getItem("cocina.sonido") === "si";

export const soundOn = () => wanted;

async function wake() {
  audio ??= new AudioContext();
  if (audio.state === "suspended") await audio.resume().catch(() => {});
}

export async function toggleSound() {
  wanted = !wanted;
  localStorage.setItem("cocina.sonido", wanted ? "si" : "no");
  if (!wanted) return;
  await wake();
  beep();
}

export function beep() {
  if (!wanted || audio?.state !== "running") return;
  [660, 990].forEach((pitch, index) => {
    const start = audio.currentTime + index * 0.16;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.0001, start);
    volume.gain.exponentialRampToValueAtTime(0.35, start + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.28);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.3);
  });
}

for (const kind of ["pointerdown", "keydown"]) {
  document.addEventListener(kind, () => wanted && wake(), { once: true });
}
