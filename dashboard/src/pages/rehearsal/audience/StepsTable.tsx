import type { Names } from '../../../components/conditions/describe-condition.ts'
import { Section } from '../../../layout/Page.tsx'
import { count } from '../../../lib/format.ts'
import { type Column, DataTable } from '../../../primitives/DataTable.tsx'
import { PartBar } from '../../../primitives/RateBar.tsx'
import { titleOf } from '../../builder/describe-step.ts'
import { branchesOf, type TreeIndex } from '../../builder/step-tree.ts'
import { STEP_TYPES } from '../../builder/step-types.ts'
import type { Step } from '../../builder/steps.ts'
import { withBranch } from '../labels.ts'
import classes from './audience.module.css'
import type { Rehearsal } from './queries.ts'

interface Row {
  id: string
  step: Step
  title: string
  /** Emails, or contacts who take a branch. */
  value: number
  unit: string
}

/** Emails by step, and contacts by branch. */
export function StepsTable({ of, tree, names }: { of: Rehearsal; tree: TreeIndex; names: Names }) {
  const columns: readonly Column<Row>[] = [
    {
      id: 'step',
      head: 'Step',
      phone: 'title',
      cell: ({ step, title }) => {
        const { icon: Icon, tone } = STEP_TYPES[step.type]
        return (
          <span className={classes.step}>
            <span className={`${classes.icon} c-${tone}`} aria-hidden>
              <Icon size={14} />
            </span>
            {title}
          </span>
        )
      },
    },
    {
      id: 'bar',
      head: 'Share',
      hidesHead: true,
      phone: 'bar',
      cell: ({ value }) => <PartBar value={value} total={of.entered} />,
    },
    {
      id: 'value',
      head: 'Count',
      isNumber: true,
      phone: 'state',
      cell: ({ value, unit }) => (
        <>
          {count(value)} <span className="t3">{unit}</span>
        </>
      ),
    },
  ]
  return (
    <Section title="Steps">
      <DataTable<Row>
        label="Steps"
        rows={rowsOf(of, tree, names)}
        idOf={({ id }) => id}
        columns={columns}
        hidesFoot
        empty={<p className="t2">No steps.</p>}
      />
    </Section>
  )
}

const rowsOf = ({ steps, branches }: Rehearsal, tree: TreeIndex, names: Names): Row[] =>
  tree.order.flatMap((id): Row[] => {
    const step = tree.find(id)?.step
    if (!step) return []
    const title = titleOf(step, names)
    if (step.type === 'EMAIL') {
      const value = steps.find(({ stepId }) => stepId === id)?.emails ?? 0
      return [{ id, step, title, value, unit: 'emails' }]
    }
    return branchesOf(step).map(({ key, name }) => {
      const value = branches.find((each) => each.stepId === id && each.branch === key)?.contacts ?? 0
      return { id: `${id} ${key}`, step, title: withBranch(title, name), value, unit: 'contacts' }
    })
  })
