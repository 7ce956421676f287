import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useHasRole, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Section } from '../../layout/Page.tsx'
import { SettingsPage } from '../../layout/SettingsPage.tsx'
import { InviteForm, InviteLink, type NewLink } from './InviteForm.tsx'
import { MembersTable } from './MembersTable.tsx'
import { RolesTable } from './RolesTable.tsx'
import { PendingInvitations } from './PendingInvitations.tsx'

export function MembersPage() {
  const { workspace } = useWorkspace()
  const isOwner = useHasRole('owner')
  const [isInviting, { open, close }] = useDisclosure()
  const [link, setLink] = useState<NewLink>()
  const { data, error, refetch } = useWorkspaceQuery(
    ['members'],
    async (api, signal) => (await api.GET('/members', { signal })).data.data,
  )
  return (
    <SettingsPage
      title="Members"
      actions={
        isOwner && (
          <Button variant="filled" leftSection={<IconPlus aria-hidden />} onClick={open}>
            Invite member
          </Button>
        )
      }
    >
      {link !== undefined && <InviteLink key={link.link} of={link} onDone={() => setLink(undefined)} />}
      {isInviting && (
        <InviteForm
          onCreated={(made) => {
            setLink(made)
            close()
          }}
          onCancel={close}
        />
      )}
      <Section title={`Members of ${workspace.name}`} meta={data?.length}>
        {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
        {!data && !error && <SkeletonRows rows={3} />}
        {data && <MembersTable members={data} isOwner={isOwner} />}
      </Section>
      {isOwner && <PendingInvitations />}
      <RolesTable />
    </SettingsPage>
  )
}
