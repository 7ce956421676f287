import { Button, Progress, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconCheck, IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react'
import { count, plural } from '../lib/format.ts'
import type { EditorProblem } from './problems.ts'
import classes from './editor.module.css'

/** Gmail cuts larger emails off: src/templates/lint.ts. */
const MAX_KB = 102

/** The problems of an email, each with its block and a fix, and the size of its HTML. */
export function ProblemBar({
  problems,
  bytes,
  onShow,
  onFix,
}: {
  problems: readonly EditorProblem[]
  bytes: number | undefined
  /** Selects the block of a problem. */
  onShow: (key: string) => void
  /** Undefined for a member who may not edit. */
  onFix: ((problem: EditorProblem) => void) | undefined
}) {
  const [isOpen, { toggle }] = useDisclosure()
  const errors = problems.filter(({ isError }) => isError).length
  const warnings = problems.length - errors
  const terms = [errors > 0 && plural(errors, 'error'), warnings > 0 && plural(warnings, 'warning')].filter(Boolean)
  const summary = problems.length === 0 ? 'No problems' : plural(problems.length, 'problem')
  const kilobytes = Math.ceil((bytes ?? 0) / 1024)
  return (
    <section aria-label="Problems" className={classes.problems}>
      <VisuallyHidden role="status">{summary}</VisuallyHidden>
      <button type="button" aria-expanded={isOpen} className={classes.problemsHead} onClick={toggle}>
        <Mark isError={errors > 0} isFine={problems.length === 0} />
        <span className="strong">{summary}</span>
        <span className="t2 wide">{terms.join(', ')}</span>
        {bytes !== undefined && (
          <span className={`push ${classes.size}`} title="Gmail cuts off emails with more than 102 KB of HTML">
            <span className="t2">Size</span>
            <Progress w={54} value={(kilobytes / MAX_KB) * 100} aria-hidden />
            <span className="t2">
              {count(kilobytes)} of {MAX_KB} KB
            </span>
          </span>
        )}
        {isOpen ? <IconChevronDown aria-hidden /> : <IconChevronUp aria-hidden />}
      </button>
      {isOpen && (
        <ul>
          {problems.map((problem, n) => (
            <li key={n} className={classes.problem}>
              <Mark isError={problem.isError} />
              <span className="strong">{problem.title}</span>
              <span className="t2">{problem.text}</span>
              <span className="push row">
                {problem.key !== undefined && <Button onClick={() => onShow(problem.key!)}>Show</Button>}
                {problem.fix && onFix && <Button onClick={() => onFix(problem)}>{problem.fix.label}</Button>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const Mark = ({ isError, isFine = false }: { isError: boolean; isFine?: boolean }) =>
  isFine ? (
    <IconCheck aria-hidden color="var(--ok)" />
  ) : isError ? (
    <IconX aria-label="Error" color="var(--bad)" />
  ) : (
    <IconAlertTriangle aria-label="Warning" color="var(--warn)" />
  )
