import { IconFilter } from '@tabler/icons-react'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useDisclosure } from '@mantine/hooks'
import { Suspense, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { isWithout, type Loose } from '../../components/conditions/condition.ts'
import { describeCondition } from '../../components/conditions/describe-condition.ts'
import { useConditionNames } from '../../components/conditions/use-condition-names.ts'
import { ConfirmDelete } from '../../components/ConfirmDelete.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { UsedIn } from '../../components/UsedIn.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { ToList } from '../../layout/ToList.tsx'
import { lazyPart } from '../../lib/load-with-retry.ts'
import { CheckContact } from './CheckContact.tsx'
import { Matching } from './Matching.tsx'
import { Sample } from './Sample.tsx'
import { SegmentActions } from './SegmentActions.tsx'
import classes from './segment.module.css'

const SegmentForm = lazyPart(async () => (await import('../segments/SegmentForm.tsx')).SegmentForm)

/** A segment: its condition, who matches it, and what uses it. */
export function SegmentPage() {
  const { segmentId } = useParams({ from: '/w/$workspaceId/segments/$segmentId' })
  const { data, error, refetch } = useWorkspaceQuery(
    ['segments', segmentId],
    async (api, signal) => (await api.GET('/segments/{id}', { params: { path: { id: segmentId } }, signal })).data.data,
  )
  // The key resets the form when another segment is shown.
  if (data) return <SegmentDetails key={segmentId} segment={data} />
  return (
    <Page parent={<ToList list="segments">Segments</ToList>} title="Segment">
      {error ? <ErrorBanner error={error} onRetry={() => void refetch()} /> : <SkeletonRows />}
    </Page>
  )
}

function SegmentDetails({ segment }: { segment: Schemas['SegmentDetail'] }) {
  const { api, workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  const navigate = useNavigate()
  const invalidate = useInvalidate()
  const [isDeleting, { open, close }] = useDisclosure()
  const [edited, setEdited] = useState<Loose>()
  const condition: Loose = edited ?? segment.condition
  const remove = async () => {
    await api.DELETE('/segments/{id}', { params: { path: { id: segment.id } } })
    await navigate({ to: '/w/$workspaceId/segments', params: { workspaceId: workspace.id }, ignoreBlocker: true })
    void invalidate('segments', 'page')
    void invalidate('segments', 'choice')
  }
  return (
    <Page
      parent={<ToList list="segments">Segments</ToList>}
      title={segment.name}
      actions={<SegmentActions segment={segment} onDelete={open} />}
      aside={
        <>
          <Matching condition={condition} />
          {edited && <p className="small t2">The sample and the check use the saved condition.</p>}
          <Sample segment={segment} />
          <CheckContact segment={segment} />
          <Section title="Used in" {...(segment.usedIn.length > 0 && { meta: segment.usedIn.length })}>
            <UsedIn uses={segment.usedIn} none="Not used in any automation, campaign or segment." />
          </Section>
        </>
      }
    >
      {isDeleting && (
        <ConfirmDelete
          object="segment"
          path={`/segments/${segment.id}`}
          description="Its contacts are not deleted."
          action={remove}
          onDone={close}
        />
      )}
      <Sentence condition={condition} />
      {canEdit && (
        <Suspense fallback={<SkeletonRows rows={4} />}>
          <SegmentForm segment={segment} onEdit={setEdited} />
        </Suspense>
      )}
    </Page>
  )
}

function Sentence({ condition }: { condition: Loose }) {
  const words = describeCondition(condition, useConditionNames())
  return (
    <p className={classes.sentence}>
      <IconFilter aria-hidden />
      <span>
        {!isWithout(condition) && 'Contacts who match '}
        <strong>{words}</strong>
      </span>
    </p>
  )
}
