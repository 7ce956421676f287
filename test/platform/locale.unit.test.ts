import assert from 'node:assert/strict'
import { canonicalLocale, directionOf, localeFallbacks } from '../../src/platform/locale.ts'

describe('a locale', () => {
  it('falls back to its parts', () => {
    assert.deepEqual(localeFallbacks('zh-hant-tw'), ['zh-hant-tw', 'zh-hant', 'zh'])
    assert.deepEqual(localeFallbacks('de'), ['de'])
  })

  it('has a direction', () => {
    const rows = {
      ar: 'rtl',
      he: 'rtl',
      fa: 'rtl',
      'ur-PK': 'rtl',
      'az-Arab': 'rtl',
      de: 'ltr',
      az: 'ltr',
      'zh-Hant-TW': 'ltr',
    }
    for (const [locale, direction] of Object.entries(rows)) assert.equal(directionOf(locale), direction, locale)
  })

  it('is read in any spelling', () => {
    const rows = {
      de_ch: 'de-CH',
      'zh-hant-tw': 'zh-Hant-TW',
      ' PT-br ': 'pt-BR',
      x: undefined,
      '1': undefined,
      '': undefined,
    }
    for (const [given, canonical] of Object.entries(rows)) assert.equal(canonicalLocale(given), canonical, given)
    assert.equal(canonicalLocale(5), undefined)
  })
})
