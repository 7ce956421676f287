import type { Schemas } from '../../api/client.ts'
import { useSender } from '../../api/queries.ts'
import { Section } from '../../layout/Page.tsx'
import { count, percentOf, plural } from '../../lib/format.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { PartBar } from '../../primitives/RateBar.tsx'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import { titleOf } from '../builder/describe-step.ts'
import type { AutomationDraft } from '../builder/draft.ts'
import { contactsAtRemovedSteps, contactsThrough, statsByStep, type StepStats } from '../builder/step-stats.ts'
import { STEP_TYPES } from '../builder/step-types.ts'
import { branchesOf, listAt, type Located, type TreeIndex } from '../builder/step-tree.ts'
import type { Step } from '../builder/steps.ts'
import classes from './report.module.css'

interface Row {
  step: Step
  number: string
  depth: number
  /** The branch that the step begins. */
  branch: string | undefined
  numbers: StepStats | undefined
  /** Contacts who passed the step; `undefined` if that is not known. */
  passed: number | undefined
  results: Schemas['StepResults'] | undefined
}

/** Lists the steps with the contacts who are at them and passed them. A number lists its contacts. */
export function StepsTable({
  sequence,
  tree,
  stats,
  report,
  selected,
  onSelect,
}: {
  sequence: AutomationDraft
  tree: TreeIndex
  stats: Schemas['AutomationStats']
  report: Schemas['AutomationReport']
  selected: string | undefined
  onSelect: (stepId: string) => void
}) {
  const names = useConditionNames()
  const { data: sender } = useSender()
  const earlier = contactsAtRemovedSteps(sequence, stats)
  const byStep = statsByStep(sequence, stats)
  const results = new Map(report.steps.map((each) => [each.stepId, each]))
  /** A WAIT has no record of who passed it: those who arrived at the next step did. */
  const passedOf = ({ step: { id, type }, place }: Located) =>
    type === 'WAIT' || type === 'EXIT'
      ? contactsThrough({ ...place, at: place.at + 1 }, listAt(sequence.steps, tree, place), stats, (of) =>
          byStep.get(of),
        )
      : byStep.get(id)?.passed
  const rows = tree.order.flatMap((id): Row[] => {
    const found = tree.find(id)
    if (!found) return []
    const { step, number } = found
    const branch = branchOf(found, tree)
    return [
      {
        step,
        number: String(number),
        depth: depthOf(found, tree),
        branch,
        numbers: byStep.get(id),
        passed: passedOf(found),
        results: results.get(id),
      },
    ]
  })
  const columns: readonly Column<Row>[] = [
    {
      id: 'step',
      head: 'Step',
      phone: 'title',
      cell: ({ step, number, depth, branch }) => {
        const { icon: Icon, tone } = STEP_TYPES[step.type]
        return (
          <span className={classes.step} style={{ paddingLeft: 16 * depth }}>
            <span className="t3">{number}</span>
            <span className={`${classes.icon} c-${tone}`} aria-hidden>
              <Icon />
            </span>
            <span className="strong cut">{titleOf(step, names)}</span>
            {branch !== undefined && <span className={classes.branch}>{branch}</span>}
          </span>
        )
      },
    },
    {
      id: 'bar',
      head: 'Share',
      hidesHead: true,
      cell: ({ passed }) => passed !== undefined && <PartBar value={passed} total={stats.enrolled} />,
    },
    {
      id: 'passed',
      head: 'Passed',
      isNumber: true,
      phone: 'figure',
      cell: ({ passed }) => (passed === undefined ? '–' : count(passed)),
    },
    {
      id: 'here',
      head: 'Here now',
      isNumber: true,
      phone: 'figure',
      cell: ({ step, numbers }) => {
        const here = numbers?.here ?? 0
        if (here === 0) return <span className="t3">0</span>
        return (
          <button
            type="button"
            className={`link textButton ${classes.figure}`}
            aria-pressed={selected === step.id}
            aria-label={`${plural(here, 'contact')} at ${titleOf(step, names)}`}
            onClick={() => onSelect(step.id)}
          >
            {count(here)}
          </button>
        )
      },
    },
    { id: 'sent', head: 'Sent', isNumber: true, cell: ({ results: of }) => (of ? count(of.sent) : '–') },
    {
      id: 'opened',
      head: 'Opened',
      isNumber: true,
      phone: 'figure',
      cell: ({ results: of }) => rateOf(of?.opened, of?.delivered, sender?.trackOpens),
    },
    {
      id: 'clicked',
      head: 'Clicked',
      isNumber: true,
      phone: 'figure',
      cell: ({ results: of }) => rateOf(of?.clicked, of?.delivered, sender?.trackClicks),
    },
  ]
  return (
    <Section
      title="Steps"
      meta={
        rows.some(({ numbers }) => (numbers?.here ?? 0) > 0) && 'Select a number under “Here now” to list its contacts'
      }
    >
      <DataTable<Row>
        label="Steps"
        rows={rows}
        idOf={({ step: { id } }) => id}
        columns={columns}
        empty={<p className="t2">No steps yet.</p>}
      />
      {earlier > 0 && (
        <p className="small t2" style={{ marginTop: 8 }}>
          {plural(earlier, 'contact')} {earlier === 1 ? 'is' : 'are'} at steps of earlier versions, which are not shown.
        </p>
      )}
    </Section>
  )
}

/** A rate, unless it is not measured. */
const rateOf = (value = 0, total = 0, isTracked: boolean | undefined): string =>
  value === 0 && isTracked === false ? '–' : percentOf(value, total) || '–'

function depthOf({ place: { parent } }: Located, tree: TreeIndex): number {
  const above = parent === null ? undefined : tree.find(parent)
  return above ? 1 + depthOf(above, tree) : 0
}

/** The name of the branch, for its first step. */
function branchOf({ place: { parent, branch, at } }: Located, tree: TreeIndex): string | undefined {
  const above = parent === null || at > 0 ? undefined : tree.find(parent)
  return above && branchesOf(above.step)[branch]?.name
}
