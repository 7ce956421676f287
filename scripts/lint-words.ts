/**
 * `npm run lint:words`: finds wording that the project avoids, in comments, texts of more than two words, test titles and Markdown.
 * Reword what it finds: there is no comment that disables it for a line.
 */
import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/** Hits that are data, such as an address in a test. A new one is not allowed. */
const MAX_HITS = 4

/** Patterns, and what to write instead. */
const AVOIDED: readonly [RegExp, string][] = [
  [/\b(whoever|whomever|somebody|nobody|anybody|everybody)\b/i, 'name the actor: contact, operator, worker, request'],
  [/\b(she|her|hers|herself)\b/i, 'the contact, they'],
  [/\b(anew|lately|in vain|besides|thereby)\b/i, 'again, recently, without success, in addition'],
  [/\bmeanwhile\b/i, 'concurrently, in the meantime'],
  [/\bbehind (it|that|this|them|its|their)\b/i, 'after'],
  [/\bso (many|much) (as|are|is|at|of|a|that|it)\b/i, 'at most, up to'],
  [/\b(hand|hands|handed|handing) over\b|\bhand-over\b/i, 'send, in flight'],
  [/\b(comes?|came|coming) (to be|by|between)\b/i, 'is created, gets, intervenes'],
  [/(?<!354 )\b(go|goes|going|went) on\b(?! ahead)/i, 'continue, resume'],
  [/\b(is|are|was|were|be) told\b|\btells? (it|of|that|what|who|how|whether)\b/i, 'log, return, report'],
  [/\b(says?|said) (so|who|whether|it|of|by)\b/i, 'set, state, contain'],
  [/\b(a no|noes|no word|a word) (of|by|for)\b/i, 'opt-out, consent'],
  [/(?<!--)\bledger\b|\binstallations\b|\bput off\b/i, 'messages, instance, defer'],
]
/** Doc comments that begin with a relative clause. */
const CLAUSE = /^\/\*\*\s*(What|Who|Whom|Whose|That|Of|Behind|Where|So many|So long)\b/
const TEXT_OF_SQL = /\b(select|insert into|update|delete from|where|join)\b/

interface Passage {
  line: number
  text: string
}

function passagesOf(file: string, content: string): Passage[] {
  if (file.endsWith('.md')) return content.split('\n').map((text, n) => ({ line: n + 1, text }))
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true)
  const at = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1
  const found = new Map<number, Passage>()
  const add = (position: number, text: string) => found.set(position, { line: at(position), text })
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(content, node.getFullStart()) ?? [])
      add(pos, content.slice(pos, end))
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      ts.isJsxText(node)
    if (isText && /\S+\s+\S+\s+\S/.test(node.text) && !TEXT_OF_SQL.test(node.text)) add(node.getStart(), node.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...found.values()]
}

/** Returns what to write instead, for each pattern that a passage matches. */
const adviceFor = (text: string): string[] => [
  ...AVOIDED.filter(([pattern]) => pattern.test(text)).map(
    ([pattern, advice]) => `${pattern.exec(text)![0]}: ${advice}`,
  ),
  ...(CLAUSE.test(text) ? ['a doc comment begins with a verb or a noun phrase'] : []),
]

const files = globSync(
  ['{src,workflows,activities,embedded,scripts,dashboard,packages,test,bench,docs}/**/*.{ts,tsx,md}', '*.md'],
  { exclude: ['**/{node_modules,dist}/**', 'scripts/lint-words.ts', 'bench/results.md'] },
)
const hits = files.flatMap((file) =>
  passagesOf(file, readFileSync(file, 'utf8')).flatMap(({ line, text }) =>
    adviceFor(text).map((advice) => `${file}:${line} ${advice}`),
  ),
)
for (const hit of hits) process.stdout.write(`${hit}\n`)
process.stdout.write(
  `${hits.length} passages with wording to avoid, in ${files.length} files; at most ${MAX_HITS} are allowed\n`,
)
if (hits.length > MAX_HITS) process.exitCode = 1
