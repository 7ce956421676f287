import {
  ActionIcon,
  Button,
  createTheme,
  type CSSVariablesResolver,
  Input,
  type MantineColorsTuple,
  Menu,
  Modal,
  SegmentedControl,
  Tabs,
  Tooltip,
} from '@mantine/core'

/** Mantine expects ten shades; the tokens need one. */
const one = (color: string) => Array.from({ length: 10 }, () => color) as unknown as MantineColorsTuple

/** The Mantine theme. All colors come from tokens.css. */
export const theme = createTheme({
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  primaryColor: 'accent',
  colors: { accent: one('var(--accent-fill)'), bad: one('var(--bad-fill)') },
  fontSizes: { xs: '12px', sm: '13px', md: '13px', lg: '14px', xl: '16px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '20px', xl: '24px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: 'var(--r-1)', sm: 'var(--r-2)', md: 'var(--r-2)', lg: 'var(--r-3)', xl: 'var(--r-4)' },
  defaultRadius: 'sm',
  shadows: { xs: 'var(--e-1)', sm: 'var(--e-1)', md: 'var(--e-2)', lg: 'var(--e-2)', xl: 'var(--e-3)' },
  breakpoints: { xs: '360px', sm: '721px', md: '1181px', lg: '1401px', xl: '1800px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  components: {
    Button: Button.extend({ defaultProps: { size: 'sm', variant: 'default' } }),
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', size: 28, color: 'gray' } }),
    Input: Input.extend({ defaultProps: { size: 'sm' } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: true } } }),
    // A server's error appears while the focus is elsewhere.
    InputError: Input.Error.extend({ defaultProps: { role: 'alert' } }),
    Modal: Modal.extend({
      defaultProps: {
        radius: 'xl',
        shadow: 'xl',
        overlayProps: { backgroundOpacity: 0.4 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    }),
    // Not imported: fields import it with their menu.
    ComboboxChevron: { defaultProps: { 'aria-hidden': true } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // Not imported: only the pages for signing in need it.
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { tabIndex: 0, 'aria-label': 'Show password' } },
    },
    Menu: Menu.extend({ defaultProps: { shadow: 'md', radius: 'md', position: 'bottom-end' } }),
    SegmentedControl: SegmentedControl.extend({ defaultProps: { size: 'xs' } }),
    Tabs: Tabs.extend({ defaultProps: { keepMounted: false } }),
  },
})

const TOKENS = {
  '--mantine-color-body': 'var(--bg)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--text-3)',
  '--mantine-color-placeholder': 'var(--text-3)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-default': 'var(--raised)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--line-2)',
  '--mantine-color-disabled': 'var(--mute-tint)',
  '--mantine-color-disabled-color': 'var(--text-3)',
  '--mantine-primary-color-filled': 'var(--accent-fill)',
  '--mantine-primary-color-filled-hover': 'var(--accent-fill)',
  '--mantine-primary-color-light': 'var(--accent-tint)',
  '--mantine-primary-color-light-color': 'var(--accent)',
  '--mantine-color-accent-filled': 'var(--accent-fill)',
  '--mantine-color-accent-filled-hover': 'var(--accent-fill)',
  '--mantine-color-bad-filled': 'var(--bad-fill)',
  '--mantine-color-bad-filled-hover': 'var(--bad-fill)',
  // Text of buttons without a background. Those with one need darker colors.
  '--mantine-color-accent-light-color': 'var(--accent)',
  '--mantine-color-accent-light-hover': 'var(--accent-tint)',
  '--mantine-color-bad-light-color': 'var(--bad)',
  '--mantine-color-bad-light-hover': 'var(--bad-tint)',
  '--mantine-color-gray-light-color': 'var(--text-2)',
  '--mantine-color-gray-light-hover': 'var(--hover)',
}

/** The tokens follow `color-scheme`, so both schemes use the same variables. */
export const variables: CSSVariablesResolver = () => ({ variables: {}, light: TOKENS, dark: TOKENS })
