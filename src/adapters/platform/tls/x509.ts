/** In its own module: bundled, a dynamically imported CommonJS package has only a default export. */
export * as x509 from '@peculiar/x509'
