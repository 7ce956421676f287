import type { Schemas } from '../../api/client.ts'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import { Section } from '../../layout/Page.tsx'
import { plural } from '../../lib/format.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { titleOf } from '../builder/describe-step.ts'
import { branchesOf, type TreeIndex } from '../builder/step-tree.ts'
import type { Step } from '../builder/steps.ts'
import { type Converted, conversionColumns } from './conversion-columns.tsx'
import { Verdict } from './Verdict.tsx'

interface Row extends Converted {
  step: Step
  number: number
  branch: string
  /** The first branch of a split, with which the others are compared. */
  baseline: Converted | undefined
}

const NONE: Converted = { enrolled: 0, counted: 0, reached: 0 }

/** Compares the branches of each step. Only a split is a fair comparison: other branches have different contacts. */
export function Branches({ of: { branches, windowDays }, tree }: { of: Schemas['Conversion']; tree: TreeIndex }) {
  const names = useConditionNames()
  const rows = tree.order.flatMap((id): Row[] => {
    const found = tree.find(id)
    const taken = branches.filter(({ stepId }) => stepId === id)
    if (!found || taken.length === 0) return []
    const { step, number } = found
    const all = branchesOf(step).map(({ name, key }) => ({
      name,
      numbers: taken.find(({ branch }) => branch === key) ?? NONE,
    }))
    const baseline = step.type === 'SPLIT' ? all[0]?.numbers : undefined
    return all.map(({ name, numbers }) => ({ ...numbers, step, number, branch: name, baseline }))
  })
  if (rows.length === 0) return null
  const columns: readonly Column<Row>[] = [
    {
      id: 'branch',
      head: 'Branch',
      phone: 'title',
      cell: ({ branch, number, step }) => (
        <>
          <span className="strong">{branch}</span>{' '}
          <span className="t2">
            step {number}, {titleOf(step, names)}
          </span>
        </>
      ),
    },
    ...conversionColumns<Row>('Entered'),
    {
      id: 'result',
      head: 'Compared with the first',
      phone: 'about',
      cell: ({ step, branch, baseline, ...numbers }) =>
        baseline && <Verdict of={numbers} before={branch === branchesOf(step)[0]?.name ? undefined : baseline} />,
    },
  ]
  return (
    <Section title="Branches" meta={`Goal within ${plural(windowDays, 'day')}`}>
      <DataTable<Row>
        label="Branches"
        rows={rows}
        idOf={({ step, branch }) => `${step.id} ${branch}`}
        columns={columns}
        empty={null}
      />
    </Section>
  )
}
