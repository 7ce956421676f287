// The order matters: later styles adjust earlier ones.
import '@fontsource-variable/geist'
import '@fontsource-variable/geist-mono'
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './tokens.css'
import './base.css'
import './mantine.css'
