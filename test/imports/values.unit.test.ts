import assert from 'node:assert/strict'
import { parseBoolean, parseDate, parseNumber } from '../../src/imports/values.ts'

describe('the values of a file', () => {
  it('are dates only in their format, and only if they exist', () => {
    assert.equal(parseDate('03/11/2026', 'DD/MM/YYYY'), '2026-11-03')
    assert.equal(parseDate('03/11/2026', 'MM/DD/YYYY'), '2026-03-11')
    assert.equal(parseDate('28/10/2026', 'MM/DD/YYYY'), undefined)
    assert.equal(parseDate('31.02.2026', 'DD.MM.YYYY'), undefined)
    assert.equal(parseDate('29.02.2024', 'DD.MM.YYYY'), '2024-02-29')
    assert.equal(parseDate('2024-05-06'), '2024-05-06')
    assert.equal(parseDate('0000-00-00'), undefined)
    assert.equal(parseDate('2024-05-06 07:08'), '2024-05-06T07:08:00.000Z')
    assert.equal(parseDate('2023-02-10 22:07:16.199433 +0530 IST'), '2023-02-10T16:37:16.199Z')
    assert.equal(parseDate('2024-05-06T07:08:09-01:00'), '2024-05-06T08:08:09.000Z')
    assert.equal(parseDate('5/6/2024 1:02 PM', 'MM/DD/YYYY'), '2024-05-06T13:02:00.000Z')
    assert.equal(parseDate('2024-05-06 25:00'), undefined)
    assert.equal(parseDate('tomorrow'), undefined)
  })

  it('are numbers only in their format', () => {
    assert.equal(parseNumber('1,234.5'), 1234.5)
    assert.equal(parseNumber('1.234,5', '1.234,5'), 1234.5)
    assert.equal(parseNumber('1.234,5'), undefined)
    assert.equal(parseNumber('-0.5'), -0.5)
    assert.equal(parseNumber('12,34'), undefined)
    assert.equal(parseNumber('€5'), undefined)
    // More digits than a number can hold, such as those of a card.
    assert.equal(parseNumber('99999999999999999999'), undefined)
  })

  it('are yes or no in the languages of spreadsheets, and nothing else', () => {
    for (const word of ['TRUE', 'WAHR', 'oui', '1', 'x', ' Yes\u200b']) assert.equal(parseBoolean(word), true, word)
    for (const word of ['FALSE', 'Nein', '0', 'não']) assert.equal(parseBoolean(word), false, word)
    for (const word of ['', '2', 'maybe']) assert.equal(parseBoolean(word), undefined, word)
  })
})
