import { type ReactNode, Suspense } from 'react'
import { useHasRole } from '../../api/workspace.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { lazyPart } from '../../lib/load-with-retry.ts'
import { useFirstSteps, useFirstStepsChoice } from './use-first-steps.ts'

const FirstSteps = lazyPart(async () => (await import('./FirstSteps.tsx')).FirstSteps)

/** Guides a new workspace to its first email. Shows the children once an email was sent, or the steps are hidden. */
export function FirstStepsOr({ children }: { children: ReactNode }) {
  const canEdit = useHasRole('editor')
  const [choice, choose] = useFirstStepsChoice()
  const { data, error } = useFirstSteps(choice)
  if (error || !canEdit || choice === 'hidden' || data === null) return children
  if (!data) return null
  return (
    <Suspense fallback={<SkeletonRows rows={6} />}>
      {/* A member who starts here sees the end. */}
      <FirstSteps progress={data} onBegin={() => choose('open')} onHide={() => choose('hidden')} />
    </Suspense>
  )
}
