import assert from 'node:assert/strict'
import { checkParts, leavesOf } from '../../src/segments/checked-parts.ts'
import type { Condition } from '../../src/segments/condition.ts'

/** Conditions on tags, of which the contact has some: each path with ✓ or ✗, and ! if it decides. */
const checked = (condition: Condition, ...tags: string[]) => {
  const leaves = [...leavesOf(condition)].map(
    ([path, part]) => [path, 'tag' in part && tags.includes(part.tag)] as const,
  )
  return checkParts(condition, new Map(leaves)).map(
    ({ path, matches, decides }) => `${path || '(all)'} ${matches ? '✓' : '✗'}${decides ? '!' : ''}`,
  )
}

describe('the parts of a condition that decide', () => {
  const both: Condition = { all: [{ tag: 'a' }, { tag: 'b' }] }
  const either: Condition = { any: [{ tag: 'a' }, { tag: 'b' }] }

  it('are those of `all` that do not match', () => {
    assert.deepEqual(checked(both, 'a'), ['(all) ✗!', '/all/0 ✓', '/all/1 ✗!'])
    assert.deepEqual(checked(both), ['(all) ✗!', '/all/0 ✗!', '/all/1 ✗!'])
    assert.deepEqual(checked(both, 'a', 'b'), ['(all) ✓!', '/all/0 ✓!', '/all/1 ✓!'])
  })

  it('are those of `any` that match', () => {
    assert.deepEqual(checked(either, 'b'), ['(all) ✓!', '/any/0 ✗', '/any/1 ✓!'])
    assert.deepEqual(checked(either), ['(all) ✗!', '/any/0 ✗!', '/any/1 ✗!'])
  })

  it('are those inside of `not`, and none inside of a group that does not decide', () => {
    const nested: Condition = { all: [{ not: either }, either, { not: { tag: 'c' } }] }
    assert.deepEqual(checked(nested, 'a'), [
      '(all) ✗!',
      '/all/0 ✗!',
      '/all/0/not ✓!',
      '/all/0/not/any/0 ✓!',
      '/all/0/not/any/1 ✗',
      '/all/1 ✓',
      '/all/1/any/0 ✓',
      '/all/1/any/1 ✗',
      '/all/2 ✓',
      '/all/2/not ✗',
    ])
  })

  it('are the only part of a condition without groups', () => {
    assert.deepEqual(checked({ tag: 'a' }, 'a'), ['(all) ✓!'])
    assert.deepEqual(checked({ all: [] }), ['(all) ✓!'])
    assert.deepEqual(checked({ any: [] }), ['(all) ✗!'])
  })
})
