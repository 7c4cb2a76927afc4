// One Chromium for all journeys of a file.

import { chromium } from "playwright-core";

let shared;
export async function browser() {
  shared ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-dev-shm-usage",
      "--disable-extensions",
      "--disable-gpu",
      "--disable-sync",
      "--mute-audio",
      "--no-default-browser-check",
      "--no-first-run",
    ],
  });
  return shared;
}

export const closeBrowser = async () => shared?.close();
