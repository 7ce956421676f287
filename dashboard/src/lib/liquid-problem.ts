/** Sentences for the problems of templates, whose parser speaks of its own terms. */
const PROBLEMS: readonly [RegExp, (match: RegExpExecArray) => string][] = [
  [/invalid value expression: "?(.*?)"?(?:, line|$)/, ([, what]) => `A variable is not complete: ${what || '{{ }}'}`],
  [/output "(.*?)" not closed/, ([, what]) => `A variable is not closed: ${what}. Add }} at its end`],
  [/tag "(.*?)" not closed/, ([, what]) => `${what} has no end`],
  [/undefined filter: (\w+)/, ([, what]) => `There is no filter called ${what}`],
  [/tag "(\w+)" not found/, ([, what]) => `There is no tag called ${what}`],
  [/"kind": "PARTIAL"/, () => 'A template is included that does not exist. Create a snippet with this name'],
]

/** Explains a problem of a template, with its line. A problem that is not known stays as it is. */
export function explainProblem(problem: string): string {
  const [, start = '', rest = problem] = /^(in block \d+: )?(.*)$/s.exec(problem) ?? []
  for (const [pattern, say] of PROBLEMS) {
    const match = pattern.exec(rest)
    const [, line] = /line:(\d+)/.exec(rest) ?? []
    if (match) return `${start}${say(match)}${line === undefined || line === '1' ? '' : ` (line ${line})`}`
  }
  return problem
}
