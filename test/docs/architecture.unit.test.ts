import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

/** Returns the quoted names in a text. */
const namesIn = (text: string, quote: string): string[] =>
  [...text.matchAll(new RegExp(`${quote}([a-z-]+)${quote}`, 'g'))].map(([, name]) => name!)

/** Returns the part of a text from one mark to another. */
const between = (text: string, from: string, to: string): string => text.split(from)[1]!.split(to)[0]!

describe('the table of modules in docs/architecture.md', () => {
  it('has the modules of the linter, in their order', () => {
    const linted = namesIn(between(read('eslint.config.js'), 'const MODULES = [', ']'), "'")
    const table = between(read('docs/architecture.md'), '\n| Module', '\n\n')
    const rows = table.split('\n').map((row) => row.split('|')[1] ?? '')
    const documented = rows.flatMap((row) => namesIn(row, '`'))
    assert.ok(linted.length > 20)
    assert.deepEqual(documented, ['platform', ...linted, 'runtime', 'bin'])
  })
})
