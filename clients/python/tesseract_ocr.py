"""A stage that reads pages with Tesseract: `component: tesseract_ocr` in place of `ocr`."""

import asyncio

from turno_components import BaseComponent


class TesseractOcr(BaseComponent):
    component_name = "tesseract_ocr"

    async def process_message(self, message, session):
        picture = await self.fetch(message.payload["image_url"])
        tesseract = await asyncio.create_subprocess_exec(
            "tesseract", "-", "-", "-l", "spa+eng", "tsv",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        table, _ = await tesseract.communicate(picture)
        if tesseract.returncode:
            raise RuntimeError(f"tesseract ended with {tesseract.returncode}")
        rows = [line.split("\t") for line in table.decode().splitlines()[1:]]
        page = next(row for row in rows if row[0] == "1")
        words = [
            {"text": row[11], "box": [int(side) for side in row[6:10]],
             "confidence": max(float(row[10]), 0) / 100}
            for row in rows if row[0] == "5" and row[11].strip()]
        read = {"words": words, "width": int(page[8]), "height": int(page[9])}
        return [("__next__", message.model_copy(update={
            "source_component": self.component_name, "payload": read}))]
