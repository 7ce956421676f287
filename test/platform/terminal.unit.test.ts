import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { forTerminal, jsonForTerminal } from '../../src/platform/terminal.ts'
import { linesForPeople } from '../../src/platform/log.ts'
import { table } from '../../src/bin/table.ts'

/** Sets a title, clears the screen; the second is one character in C1; the third turns the direction of what follows. */
const COMMANDS = '\u001b]0;x\u0007\u001b[2J \u009b31m \u202e'
const HARMLESS = /^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u

describe('a terminal', () => {
  it('is commanded by no text, and shows names of all languages', () => {
    assert.match(forTerminal(COMMANDS), HARMLESS)
    for (const text of ['Zoë Ångström', 'مرحبا', '👩‍👩‍👧', 'two\nlines']) assert.equal(forTerminal(text), text)
  })

  it('is commanded by no JSON, which is the same', () => {
    const json = jsonForTerminal({ name: COMMANDS })
    assert.match(json, HARMLESS)
    assert.deepEqual(JSON.parse(json), { name: COMMANDS })
  })

  it('is shown as many rows as there are', () => {
    const rows = [{ cells: ['1', `a${COMMANDS}\n2  forged`] }]
    assert.equal(table(['ID', 'NAME'], rows, '').split('\n').length, 2)
  })

  it('is commanded by no line of the log', () => {
    const lines: string[] = []
    const log = linesForPeople(new Writable({ write: (line: Buffer, _, done) => (lines.push(String(line)), done()) }))
    log.write(`${JSON.stringify({ level: 40, msg: 'The mail server fails', reason: COMMANDS })}\n`)
    assert.match(lines.join('').trimEnd(), HARMLESS)
    assert.match(lines.join(''), /The mail server fails/)
  })
})
