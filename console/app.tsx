export const App = () => <h1>Tocsin</h1>
