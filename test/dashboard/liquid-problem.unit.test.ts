import assert from 'node:assert/strict'
import { explainProblem } from '../../dashboard/src/lib/liquid-problem.ts'

// What LiquidJS and the API say, word for word.
const PROBLEMS: [problem: string, words: string][] = [
  ['invalid value expression: "{{", line:1, col:32', 'A variable is not complete: {{'],
  ['invalid value expression: "", line:1, col:32', 'A variable is not complete: {{ }}'],
  [
    'in block 1: invalid value expression: "{{ contact.firstName"',
    'in block 1: A variable is not complete: {{ contact.firstName',
  ],
  [
    'output "{{ contact.firstName" not closed, line:1, col:1',
    'A variable is not closed: {{ contact.firstName. Add }} at its end',
  ],
  ['tag "{% if contact.tags %}" not closed, line:1, col:1', '{% if contact.tags %} has no end'],
  ['invalid value expression: "", line:212, col:8', 'A variable is not complete: {{ }} (line 212)'],
  ['undefined filter: upcased, line:1, col:1', 'There is no filter called upcased'],
  ['tag "iff" not found, line:1, col:1', 'There is no tag called iff'],
  [
    'in block 4: <!-- is not closed, and would include everything after it',
    'in block 4: <!-- is not closed, and would include everything after it',
  ],
]

describe('problems of templates in words', () => {
  for (const [problem, words] of PROBLEMS) it(problem, () => assert.equal(explainProblem(problem), words))
})
