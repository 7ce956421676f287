import { Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { accountApi } from '../api/client.ts'
import { useSession } from '../api/session.ts'
import classes from './Rail.module.css'

const SCHEMES = [
  { value: 'auto', word: 'As the system', icon: IconDeviceDesktop },
  { value: 'light', word: 'Light', icon: IconSun },
  { value: 'dark', word: 'Dark', icon: IconMoon },
] as const

/** Who is signed in. */
export function Me() {
  const { data } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const client = useQueryClient()
  const navigate = useNavigate()
  const email = data?.account.email ?? ''
  const signOut = async () => {
    await accountApi.DELETE('/session').catch(() => undefined)
    await navigate({ to: '/sign-in' })
    client.clear()
  }
  return (
    <Menu position="top-start" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.line}>
          <span className={classes.avatar} aria-hidden>
            {email[0]?.toUpperCase()}
          </span>
          <span className="cut">{email}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconUser aria-hidden />} onClick={() => void navigate({ to: '/account' })}>
          Your account
        </Menu.Item>
        <Menu.Label>Looks</Menu.Label>
        {SCHEMES.map(({ value, word, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon aria-hidden />}
            aria-checked={colorScheme === value}
            role="menuitemradio"
            onClick={() => setColorScheme(value)}
          >
            {word}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout aria-hidden />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
