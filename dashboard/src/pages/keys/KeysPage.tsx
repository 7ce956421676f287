import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBook2, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useHasRole, useWorkspaceQuery, useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { KeysTable } from './KeysTable.tsx'
import { NewKeyForm } from './NewKey.tsx'
import { CreatedKey } from './CreatedKey.tsx'
import type { NewApiKey } from './keys.ts'

export function KeysPage() {
  const { workspace } = useWorkspace()
  const isOwner = useHasRole('owner')
  const [isCreating, { open, close }] = useDisclosure()
  const [shown, setShown] = useState<NewApiKey>()
  const { data, error, refetch } = useWorkspaceQuery(
    ['api-keys'],
    async (api, signal) => (await api.GET('/api-keys', { signal })).data.data,
    { refetchMs: 5_000, enabled: isOwner },
  )
  const show = (key: NewApiKey) => {
    setShown(key)
    close()
  }
  if (!isOwner)
    return (
      <Page title="API keys" narrow>
        <p className="t2">Only owners can manage API keys.</p>
      </Page>
    )
  return (
    <Page
      title="API keys"
      narrow
      actions={
        <>
          <Button
            component="a"
            href="/docs"
            target="_blank"
            variant="subtle"
            color="gray"
            leftSection={<IconBook2 aria-hidden />}
          >
            {' '}
            API reference
          </Button>
          <Button variant="filled" leftSection={<IconPlus aria-hidden />} onClick={open}>
            New API key
          </Button>
        </>
      }
    >
      {shown && <CreatedKey key={shown.id} apiKey={shown} onDone={() => setShown(undefined)} />}
      {isCreating && <NewKeyForm onCreated={show} onCancel={close} />}
      <Section
        title={`API keys of ${workspace.name}`}
        meta={data?.length}
        action={<span className="small t3 wide">Rate limits use a rolling 60-second window</span>}
      >
        {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
        {!data && !error && <SkeletonRows />}
        {data?.length === 0 && <p className="t2">Create a key to use the API.</p>}
        {data && data.length > 0 && <KeysTable keys={data} newId={shown?.id} onRotated={show} />}
      </Section>
    </Page>
  )
}
