import { Button, Input } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPhoto } from '@tabler/icons-react'
import { type ReactNode, Suspense } from 'react'
import { lazyPart } from '../../lib/load-with-retry.ts'

const MediaDialog = lazyPart(async () => (await import('../../components/media/MediaDialog.tsx')).MediaDialog)

/** Chooses an image of the media library. @param value its URL, empty for none */
export function LogoField({
  value,
  error,
  canEdit,
  onChange,
}: {
  value: string
  error?: ReactNode
  canEdit: boolean
  onChange: (url: string) => void
}) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <Input.Wrapper label="Logo" description="Shown on the same pages." error={error}>
      <div className="row" style={{ marginTop: 6 }}>
        {value !== '' && <img src={value} alt="Logo" style={{ maxHeight: 40, maxWidth: 160 }} />}
        {canEdit && (
          <Button leftSection={<IconPhoto aria-hidden />} onClick={open}>
            {value === '' ? 'Choose logo…' : 'Change logo…'}
          </Button>
        )}
        {canEdit && value !== '' && (
          <Button variant="subtle" color="gray" onClick={() => onChange('')}>
            Remove logo
          </Button>
        )}
      </div>
      {isOpen && (
        <Suspense>
          <MediaDialog
            purpose="logo"
            current={{ url: value, alt: '' }}
            onChoose={({ url }) => {
              onChange(new URL(url, location.href).pathname)
              close()
            }}
            onClose={close}
          />
        </Suspense>
      )}
    </Input.Wrapper>
  )
}
