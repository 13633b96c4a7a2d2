package config

import "testing"

// TestIsBot: crawlers, monitors and tools are on the list, browsers are not.
func TestIsBot(t *testing.T) {
	on, off := &Config{UAFilterBots: true}, &Config{}
	for agent, want := range map[string]bool{
		"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)":                                       true,
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)":        true,
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36": true,
		"facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)":                                     true,
		"Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)":                                                         true,
		"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)":                                              true,
		"curl/8.5.0": true, "Wget/1.21": true, "python-requests/2.32": true, "Go-http-client/1.1": true, "kube-probe/1.30": true, "GoogleHC/1.0": true, "WhatsApp/2.23.20.0": true,
		"ELB-HealthChecker/2.0": true, "Baiduspider+(+http://www.baidu.com/search/spider.htm)": true,
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0":              false,
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1":    false,
		"Mozilla/5.0 (Linux; Android 13; CUBOT X70 Build/TP1A) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36":         false,
		"Mozilla/5.0 (Linux; Android 12; CUBOT) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36":                        false,
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 14.6; rv:141.0) Gecko/20100101 Firefox/141.0":                                                        false,
		"Mozilla/5.0 (Linux; Android 14; SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36": false,
		"Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0 Mobile Safari/537.36 [FBAN/FBIOS;FBAV/450.0]":           false,
		"": false,
	} {
		if got := on.IsBot(agent); got != want {
			t.Errorf("%q: a bot %t, want %t", agent, got, want)
		}
		if off.IsBot(agent) {
			t.Errorf("%q is a bot with the list switched off", agent)
		}
	}
}
