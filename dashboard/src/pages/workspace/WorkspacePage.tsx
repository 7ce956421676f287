import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useServiceStatus, useSettings } from '../../api/queries.ts'
import { useHasRole, useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Section } from '../../layout/Page.tsx'
import { SettingsPage } from '../../layout/SettingsPage.tsx'
import { MailSection } from './MailSection.tsx'
import { NameSection } from './NameSection.tsx'
import { NewWorkspace } from './NewWorkspace.tsx'
import { ServersSection } from './ServersSection.tsx'
import { TestClock } from './TestClock.tsx'
import { TimeZoneForm } from './TimeZoneForm.tsx'

/** The settings of the workspace, and the status of its servers. */
export function WorkspacePage() {
  const isOwner = useHasRole('owner')
  const [isCreating, { open, close }] = useDisclosure()
  const { data, error, refetch } = useServiceStatus()
  return (
    <SettingsPage
      title="General"
      actions={
        isOwner && (
          <Button leftSection={<IconPlus aria-hidden />} onClick={open}>
            New workspace
          </Button>
        )
      }
    >
      {isCreating && <NewWorkspace onDone={close} />}
      <NameSection />
      <SettingsSections />
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={6} />}
      {data && <MailSection mail={data.mail} />}
      {data && <ServersSection status={data} />}
    </SettingsPage>
  )
}

function SettingsSections() {
  const { workspace } = useWorkspace()
  const { data, error, refetch } = useSettings()
  if (error) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  return (
    <>
      {workspace.mode === 'test' && (
        <Section title="Test clock">
          {data ? <TestClock aheadMinutes={data.clockAheadMinutes} /> : <SkeletonRows rows={1} />}
        </Section>
      )}
      <Section title="Time zone">{data ? <TimeZoneForm stored={data.timezone} /> : <SkeletonRows rows={1} />}</Section>
    </>
  )
}
