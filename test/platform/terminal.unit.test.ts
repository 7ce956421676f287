import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { forTerminal, jsonForTerminal } from '../../src/platform/terminal.ts'
import { linesForPeople } from '../../src/platform/log.ts'
import { formatTable } from '../../src/bin/table.ts'

/** Sets the title, clears the screen, then a C1 control character, then an override of the text direction. */
const COMMANDS = '\u001b]0;x\u0007\u001b[2J \u009b31m \u202e'
const HARMLESS = /^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u

describe('terminal output', () => {
  it('contains no control characters of a text, and keeps names in all languages', () => {
    assert.match(forTerminal(COMMANDS), HARMLESS)
    for (const text of ['Zoë Ångström', 'مرحبا', '👩‍👩‍👧', 'two\nlines']) assert.equal(forTerminal(text), text)
  })

  it('contains no control characters of JSON values, which still parse to the same', () => {
    const json = jsonForTerminal({ name: COMMANDS })
    assert.match(json, HARMLESS)
    assert.deepEqual(JSON.parse(json), { name: COMMANDS })
  })

  it('has one line for each row of a table', () => {
    const rows = [{ cells: ['1', `a${COMMANDS}\n2  forged`] }]
    assert.equal(formatTable(['ID', 'NAME'], rows, '').split('\n').length, 2)
  })

  it('contains no control characters of log values', () => {
    const lines: string[] = []
    const log = linesForPeople(new Writable({ write: (line: Buffer, _, done) => (lines.push(String(line)), done()) }))
    log.write(`${JSON.stringify({ level: 40, msg: 'The mail server fails', reason: COMMANDS })}\n`)
    assert.match(lines.join('').trimEnd(), HARMLESS)
    assert.match(lines.join(''), /The mail server fails/)
  })
})
