import '@imagewright/element/react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import header from './header.png?imagewright&widths=320;640&formats=avif;webp';

function Header() {
  return (
    <picture>
      {header.sources.map(({ type, srcset }) => (
        <source key={type} type={type} srcSet={srcset} sizes="100vw" />
      ))}
      <img src={header.src} srcSet={header.srcset} sizes="100vw" width={header.width} height={header.height} alt="" />
    </picture>
  );
}

function Page() {
  const [results, setResults] = useState([]);
  return (
    <main>
      <Header />
      <image-optimizer endpoint="/imagewright" onio-export={({ detail }) => setResults(detail.results)} />
      <ul>
        {results.map(({ imageId, variants }) => (
          <li key={imageId}>{variants.map(({ filename, size }) => `${filename}: ${size} bytes`).join(', ')}</li>
        ))}
      </ul>
    </main>
  );
}

createRoot(document.getElementById('root')).render(<Page />);
