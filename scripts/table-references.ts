/**
 * Checks that a statement which writes names only tables of its own module, and counts table references.
 *
 *     node scripts/table-references.ts [FOLDER] [--list]
 *
 * A module owns the tables of its `entities.ts`. Statements are the texts given to `sql` and `preparedSql`, resolved through
 * constants, functions and call sites; chains of Kysely and of the query builder; calls of the entity manager with an entity; and
 * the functions in `migrations/*.sql`, which may read foreign tables. `select … for update` is not a write.
 *
 * FOLDER is the repository to check, by default this one. `--list` prints each statement that names a foreign table.
 */
import { globSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { evaluator, linesOf } from './table-references/evaluate.ts'
import { parseSql } from './table-references/parse-sql.ts'

/** Longer statements are hard to read. */
const MAX_LINES = 40

const ENTITY_READS = /^(find|findOne|findOneOrFail|findAll|findAndCount|findByCursor|count|getReference|refresh)$/
const ENTITY_WRITES = /^(create|insert|insertMany|upsert|upsertMany|nativeUpdate|nativeDelete|updateMany|deleteMany)$/
const CHAIN_STARTS = /^(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)$/
const CHAIN_READS = /^(selectFrom|from|innerJoin|leftJoin|rightJoin|crossJoin|using)$/
const CHAIN_WRITES = /^(insertInto|updateTable|deleteFrom|mergeInto)$/

const { values, positionals } = parseArgs({ options: { list: { type: 'boolean' } }, allowPositionals: true })
const root = resolve(positionals[0] ?? join(import.meta.dirname, '..'))

interface Statement {
  /** Path in the repository, and line. */
  file: string
  line: number
  module: string
  reads: Set<string>
  writes: Set<string>
  lines: number
}

const files = globSync(join(root, 'src/**/*.ts'))
const program = ts.createProgram(files, {
  allowImportingTsExtensions: true,
  module: ts.ModuleKind.NodeNext,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ESNext,
  types: [],
})
const checker = program.getTypeChecker()
const sources = files.flatMap((file) => program.getSourceFile(file) ?? [])
const evaluate = evaluator(checker, sources, 'all')
const evaluateLongest = evaluator(checker, sources, 'longest')

const moduleOf = (file: string): string => relative(join(root, 'src'), file).split('/')[0]!

/** The module of each table, and the table of each entity. */
const owners = new Map<string, string>()
const tableOfEntity = new Map<string, string>()
for (const file of globSync(join(root, 'src/*/entities.ts'))) {
  const text = readFileSync(file, 'utf8')
  for (const [, schema, table] of text.matchAll(/const (\w+) = defineEntity\(\{[^}]*?tableName: '(\w+)'/g)) {
    owners.set(table!, moduleOf(file))
    const entity = new RegExp(`export class (\\w+) extends ${schema}\\.class`).exec(text)?.[1]
    for (const name of [schema, entity]) if (name) tableOfEntity.set(name, table!)
  }
}

const statements: Statement[] = []
/** The functions that run SQL, and the index of their argument that is the text. */
const TEXT_ARGUMENTS = new Map([
  ['sql', 1],
  ['preparedSql', 2],
])

const chains = new Set<ts.Node>()
let rawCalls = 0
for (const source of sources) visit(source)
for (const file of globSync(join(root, 'src/*/migrations/*.sql'))) {
  const text = readFileSync(file, 'utf8')
  for (const match of text.matchAll(/create (?:or replace )?function[^$]*\$\$([^]*?)\$\$/g))
    add(file, text.slice(0, match.index).split('\n').length, match[1]!)
}

function add(file: string, line: number, text: string, longest = text): void {
  const { reads, writes } = parseSql(text, owners)
  const lines = linesOf(longest)
  statements.push({ file: relative(root, file), line, module: moduleOf(file), reads, writes, lines })
}

function lineOf(node: ts.Node): number {
  const source = node.getSourceFile()
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
}

function visit(node: ts.Node): void {
  if (ts.isCallExpression(node)) {
    const at = textArgument(node)
    if (at !== undefined) {
      rawCalls += 1
      const longest = evaluateLongest(node, node.arguments[at]!)
      evaluate(node, node.arguments[at]!).forEach(({ text, call }, n) =>
        add(call.getSourceFile().fileName, lineOf(call), text, longest[n]?.text),
      )
    }
    addEntityCall(node)
    addChain(node)
  }
  ts.forEachChild(node, visit)
}

/** The index of the argument of a call that is SQL text. */
function textArgument(call: ts.CallExpression): number | undefined {
  if (!ts.isIdentifier(call.expression)) return undefined
  return TEXT_ARGUMENTS.get(call.expression.text)
}

/** Adds `em.nativeUpdate(Entity, …)` and similar calls. */
function addEntityCall(call: ts.CallExpression): void {
  const [entity] = call.arguments
  if (!ts.isPropertyAccessExpression(call.expression) || !entity || !ts.isIdentifier(entity)) return
  const table = tableOfEntity.get(entity.text)
  const method = call.expression.name.text
  if (!table || !(ENTITY_READS.test(method) || ENTITY_WRITES.test(method))) return
  const isWrite = ENTITY_WRITES.test(method)
  push(call, new Set(isWrite ? [] : [table]), new Set(isWrite ? [table] : []))
}

/** Adds a statement of Kysely with its subqueries, which are all names in the enclosing TypeScript statement. */
function addChain(call: ts.CallExpression): void {
  if (!ts.isPropertyAccessExpression(call.expression) || !CHAIN_STARTS.test(call.expression.name.text)) return
  let top: ts.Node = call
  while (!ts.isStatement(top)) top = top.parent
  if (chains.has(top)) return
  chains.add(top)
  const reads = new Set<string>()
  const writes = new Set<string>()
  const collect = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const method = node.expression.name.text
      const isWrite = CHAIN_WRITES.test(method)
      const names = isWrite || CHAIN_READS.test(method) ? (node.arguments[0]?.getText() ?? '') : ''
      for (const [, name] of names.matchAll(/['"](\w+)/g)) if (owners.has(name!)) (isWrite ? writes : reads).add(name!)
    }
    if (ts.isTaggedTemplateExpression(node)) {
      const named = parseSql(node.template.getText(), owners)
      for (const table of named.reads) reads.add(table)
      for (const table of named.writes) writes.add(table)
    }
    ts.forEachChild(node, collect)
  }
  collect(top)
  if (reads.size + writes.size > 0) push(call, reads, writes)
}

function push(node: ts.Node, reads: Set<string>, writes: Set<string>): void {
  const file = node.getSourceFile().fileName
  statements.push({ file: relative(root, file), line: lineOf(node), module: moduleOf(file), reads, writes, lines: 1 })
}

const namesOf = ({ reads, writes }: Statement): string[] => [...new Set([...writes, ...reads])]
const foreignOf = (statement: Statement): string[] =>
  namesOf(statement).filter((table) => owners.get(table) !== statement.module)

/** An SQL function, such as a counting trigger, may read the tables that its triggers are on. */
const isViolation = (each: Statement): boolean => {
  const named = each.file.endsWith('.sql') ? [...each.writes] : foreignOf(each)
  return each.writes.size > 0 && named.some((table) => owners.get(table) !== each.module)
}
const violations = statements.filter(isViolation)
const references = statements.flatMap((each) =>
  namesOf(each).map((table) => [each.module, owners.get(table)!] as const),
)
const foreign = references.filter(([from, to]) => from !== to)
const pairs = new Set(foreign.map(([from, to]) => `${from} ${to}`))
const describe = (each: Statement): string =>
  `${each.file}:${each.line} ${[...each.writes].map((table) => `writes ${table}`).join(', ') || 'reads'}` +
  `, names ${foreignOf(each).join(', ')} of other modules`

console.log(
  `Table references: ${references.length}, of other modules: ${foreign.length}, pairs of modules: ${pairs.size}`,
)
console.log(`Statements that write and name a table of another module: ${violations.length}`)
console.log(
  `Longest statement: ${Math.max(...statements.map(({ lines }) => lines))} lines, calls with SQL text: ${rawCalls}`,
)
if (values.list) for (const each of statements.filter((each) => foreignOf(each).length > 0)) console.log(describe(each))

const tooLong = statements.filter(({ lines }) => lines > MAX_LINES)
for (const each of violations) console.error(describe(each))
for (const { file, line, lines } of tooLong)
  console.error(`${file}:${line} has ${lines} lines, more than ${MAX_LINES}: split the statement`)
if (violations.length + tooLong.length > 0) process.exitCode = 1
