import { createRenderer } from '../src/mail/renderer.ts'
const shapes: Record<string, string> = {
  newsletter: Array.from({ length: 4_900 }, (_, i) => `<td style="padding:4px;font:12px sans-serif">Dear {{ contact.firstName }} n${i}</td>`).join('\n').slice(0, 499_000).replace(/\{\{[^}]*$/, ''),
  loop: `{% for i in (1..300) %}<tr>{% for j in (1..40) %}<td>{{ i | times: j | plus: 1 }} {{ contact.firstName | upcase }}</td>{% endfor %}</tr>{% endfor %}`,
  split: `{% assign rows = contact.metadata.csv | split: ";" %}{% for row in rows %}<p>{{ row | upcase | replace: ",", " " | truncate: 40 }}</p>{% endfor %}`,
}
for (const [name, html] of Object.entries(shapes)) {
  for (let n = 0; n < 3; n++) {
    const renderer = createRenderer({ deadlineMs: 20_000 })
    const content = { subject: 'x', html, text: null }
    const variables = { contact: { email: 'a@b.c', firstName: 'Ada', metadata: { csv: Array.from({ length: 4000 }, (_, i) => `a,${i}`).join(';') } } }
    const warm = await renderer.render({ subject: 'w', html: 'w', text: null }, variables)
    const t = performance.now()
    const out = await renderer.render(content, variables).then((r) => `${r.html?.length} chars`, (e: Error) => e.message)
    console.log(name, html.length, out, `${(performance.now() - t).toFixed(0)} ms`, !!warm)
    await renderer.close()
  }
}
