const { TURNO_URL: url = "http://127.0.0.1:8000", TURNO_TOKEN: token } = process.env;
const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
const post = (what, body = {}) => fetch(`${url}/api/docproc/work/clasificador_node/${what}`, { method: "POST", headers, body: JSON.stringify(body) });
for (;;) {
  const { items } = await (await post("take?wait=30")).json();
  for (const { message, message_id, attempt } of items) {
    const payload = { doc_type: /factura/i.test(message.payload.ocr_text) ? "invoice" : "letter", confidence: 0.9 };
    await post("done", { message_id, attempt, replies: [["__next__", { ...message, source_component: "clasificador_node", payload }]] });
  }
}
